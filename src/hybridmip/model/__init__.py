"""The problem and what is known of it before anything is solved."""
