"""A certificate of a release: made by its owner, checked by whoever gets it.

`public_policy` leaves out of a policy what only the owner may know, `figures`
has what follows from a release and that policy, `criteria` what speaks to the
three questions of the European opinion on anonymization, `digests` the hashes
and the owner's key, `signature` calls ssh-keygen. `certify` puts them together
for the owner, `check` for the recipient, and `checks` is what that found. The
form of the file is the concern of `formats.certificate_file`.
"""
