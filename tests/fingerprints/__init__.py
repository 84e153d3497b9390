"""What solves without a time limit find, to the last bit: for changes of the code that must change no answer.

`python -m tests.fingerprints record before.json`, then, with the other code, `python -m tests.fingerprints compare
before.json`. Needs the public instances (HYBRIDMIP_DATA, or ../shared/data).
"""
