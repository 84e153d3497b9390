"""Other people's modelling languages: they hand us their models and read our answers."""
