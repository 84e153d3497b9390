"""`python -m hybridmip`: the same as the command `hybridmip`."""

from hybridmip.cli import main

main()
