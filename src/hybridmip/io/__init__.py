"""Files: readers that turn text into arrays or a `Problem`, and say in one line what is wrong with it."""
