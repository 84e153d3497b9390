"""Results for people: tables and charts in the terminal, figures for paper, the demo."""
