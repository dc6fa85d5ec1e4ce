"""Signatures by ssh-keygen, in a file of their own beside a certificate.

Owners have an SSH key already, and recipients check it with a list of signers,
as git does. Nothing here knows what is signed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from maskwise.certificate.checks import Check, CheckMark
from maskwise.errors import InputError
from maskwise.values.location import is_there
from maskwise.values.printable import printable

if TYPE_CHECKING:
    from pathlib import Path

NAMESPACE = "maskwise"
"""What a signature is for, so that one that was made for something else does not count."""
_GOOD = re.compile(r'^Good "maskwise" signature (?:for .* )?with (\S+) key (SHA256:\S+)', re.MULTILINE)


def signature_path(certificate: Path) -> Path:
    """Where the signature of a certificate stands."""
    return certificate.with_name(f"{certificate.name}.sig")


def check_key(key: Path) -> None:
    """Refuse a key that cannot sign, before any work is done; one with a passphrase only where nobody can be asked."""
    if not is_there(key):
        msg = f"There is no key `{key}`. Make one with: ssh-keygen -t ed25519 -f {key}"
        raise InputError(msg)
    if not _can_ask():
        sign(b"", key)
    else:
        _program()


def sign(content: bytes, key: Path) -> bytes:
    """Sign some bytes.

    Args:
        content: What is signed.
        key: A private key, or a public one whose private part an SSH agent holds.
    """
    done = _run(["sign", "-f", str(key)], content)
    if done.returncode == 0 and done.stdout.startswith(b"-----BEGIN SSH SIGNATURE-----"):
        return done.stdout
    said = done.stderr.decode(errors="replace")
    if "passphrase" in said and not _can_ask():
        msg = (
            f"The key `{key}` has a passphrase, and there is no terminal to ask for it. Add it to an SSH agent and "
            f"name `{key}.pub`, or use a key without one. Nothing was written."
        )
        raise InputError(msg)
    last = printable((said.strip().splitlines() or ["no reason was given"])[-1])
    msg = f"ssh-keygen did not sign with `{key}`: {last.rstrip('.')}. Nothing was written."
    raise InputError(msg)


def check_signature(content: bytes, signature: Path, signers: Path | None) -> Check:
    """Check who signed some bytes.

    Args:
        content: What was signed.
        signature: The file with the signature; it need not be there.
        signers: The list of those who are trusted, in the form of ssh-keygen; None asks only whether the signature is
            whole.
    """
    if signers is not None and not signers.is_file():
        msg = f"There is no list of signers `{signers}`. A line of it is: name@example.org ssh-ed25519 AAAA..."
        raise InputError(msg)
    if not signature.exists():
        if signers is None:
            return Check(
                "signature", None, "unsigned: anybody could have written this certificate", CheckMark.NOT_CHECKED
            )
        return Check("signature", "signed by a trusted key", "unsigned", CheckMark.DIFFERS)
    if signers is None:
        done = _run(["check-novalidate", "-s", str(signature)], content)
        found = _good(done)
        if found is None:
            return Check("signature", "signed", "the signature is not of this certificate", CheckMark.DIFFERS)
        return Check("signature", "signed", f"signed by an unknown key with fingerprint {found}", CheckMark.NOT_CHECKED)
    listed = _run(["find-principals", "-s", str(signature), "-f", str(signers)], b"", in_namespace=False)
    for name in listed.stdout.decode(errors="replace").splitlines():
        found = _good(_run(["verify", "-f", str(signers), "-I", name, "-s", str(signature)], content))
        if found is not None:
            signed = f"signed by {printable(name)} with fingerprint {found}"
            return Check("signature", "signed by a trusted key", signed, CheckMark.AGREES)
    found = _good(_run(["check-novalidate", "-s", str(signature)], content))
    other = "the signature is not of this certificate"
    if found is not None:
        other = f"signed by a key that is not among the signers, with fingerprint {found}"
    return Check("signature", "signed by a trusted key", other, CheckMark.DIFFERS)


def _good(done: subprocess.CompletedProcess[bytes]) -> str | None:
    """The fingerprint of the key of a signature that ssh-keygen found good."""
    found = _GOOD.search(done.stdout.decode(errors="replace"))
    return found[2] if done.returncode == 0 and found else None


def _run(arguments: list[str], content: bytes, *, in_namespace: bool = True) -> subprocess.CompletedProcess[bytes]:
    """Call `ssh-keygen -Y`; it asks for a passphrase only where there is a terminal."""
    namespace = ["-n", NAMESPACE] if in_namespace else []
    return subprocess.run(  # noqa: S603 - arguments, no shell
        [_program(), "-Y", arguments[0], *namespace, *arguments[1:]],
        input=content,
        capture_output=True,  # a passphrase is asked for on the terminal itself
        check=False,
        start_new_session=not _can_ask(),
    )


def _can_ask() -> bool:
    """Whether somebody could type a passphrase."""
    return sys.stdin is not None and sys.stdin.isatty()


def _program() -> str:
    found = shutil.which("ssh-keygen")
    if found is None:
        raise InputError("Signatures need `ssh-keygen`, which is not installed. It comes with OpenSSH.")
    return found
