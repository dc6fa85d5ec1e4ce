"""The command `maskwise mask`: parse, call `anonymize`, print."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from maskwise.cli.options import (
    DEFAULT_SEARCH,
    NO_CERTIFICATE,
    Against,
    AsJson,
    CertificateFlags,
    Engine,
    Formulas,
    KeepOrder,
    Memory,
    Output,
    PolicyPath,
    Quiet,
    SearchFlags,
    Seed,
    Shuffle,
    WrittenNumbers,
    require_distinct_names,
)
from maskwise.cli.printing import print_json
from maskwise.cli.private import NO_LEDGER, LedgerFlags


def mask(
    data: Annotated[
        str,
        Parameter(
            help="The table: .csv, .tsv, .parquet or .arrow, each also with .gz; a folder of parquet files; "
            "a pattern in quotes; a table of the engine."
        ),
    ],
    /,
    *,
    policy: PolicyPath,
    output: Output,
    solution: Annotated[Path | None, Parameter(help="Write the solution here, for `maskwise apply`.")] = None,
    public: Annotated[
        bool, Parameter(negative="", help="Write --solution in the form that may accompany the release.")
    ] = False,
    trace: Annotated[Path | None, Parameter(help="Write a line per step here (.jsonl).")] = None,
    curve: Annotated[
        Path | None, Parameter(help="Write what each step keeps and reaches here: .csv, or a plot as .svg or .png.")
    ] = None,
    report: Annotated[
        Path | None, Parameter(help="Write a report here that may accompany the release: .html, .md, .txt or .json.")
    ] = None,
    owner_report: Annotated[
        Path | None, Parameter(help="Write a report for the owner alone here, with everything that is known.")
    ] = None,
    certificate: CertificateFlags = NO_CERTIFICATE,
    why: Annotated[
        bool, Parameter(negative="", help="Say why each masked value is shown as it is, and what would free some.")
    ] = False,
    engine: Engine = None,
    memory: Memory = None,
    search: SearchFlags = DEFAULT_SEARCH,
    keep_order: KeepOrder = False,
    shuffle: Shuffle = False,
    seed: Seed = None,
    escape_formulas: Formulas = False,
    strict_leaks: Annotated[
        bool, Parameter(negative="", help="Refuse a released column that tells what a masked one hides.")
    ] = False,
    numbers: WrittenNumbers = "label",
    against: Against = (),
    ledger: LedgerFlags = NO_LEDGER,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Mask a table, recount the result, and only then release it."""
    # NumPy starts threads to multiply large matrices when it is loaded, 0.03 processor seconds. Here are none.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from maskwise.cli.private import PrivateFiles, is_private, mask_privately, refuse_options  # noqa: PLC0415
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.formats.policy_file import policy_files, read_policy  # noqa: PLC0415 - start-up
    from maskwise.pipeline import anonymize  # noqa: PLC0415 - start-up
    from maskwise.session.sidecars import SidecarPaths  # noqa: PLC0415 - start-up
    from maskwise.table.endpoints import source_files  # noqa: PLC0415 - start-up
    from maskwise.values.message import Audience, Level  # noqa: PLC0415 - start-up

    certification = certificate.certification(output, data, engine)
    sidecars = SidecarPaths(solution, trace, curve, report, owner_report, is_public=public, certification=certification)
    sidecars.check()
    asked = read_policy(policy, private=True)
    inputs = [*source_files(data, engine), *policy_files(asked), *against]
    require_distinct_names(Path(output), *sidecars.paths, *filter(None, [ledger.ledger]), inputs=inputs)
    if is_private(asked, ledger):
        given: dict[str, object] = {"--seed": seed is not None, "--curve": curve, "--owner-report": owner_report}
        given |= {"--why": why, "--against": against, "--keep-order": keep_order, "--shuffle": shuffle}
        given |= {"--strict-leaks": strict_leaks, "--numbers": numbers != "label"}
        refuse_options({**given, "--method": search != DEFAULT_SEARCH})
        files = PrivateFiles(solution, trace, report, certification)
        how = {"engine": engine, "memory": memory, "escape_formulas": escape_formulas}
        return mask_privately(data, asked, output, files, ledger, how, quiet=quiet, as_json=json_)
    terminal = Terminal(quiet=quiet or json_)
    was_there = os.path.exists(output)  # noqa: PTH110 - a name that is too long is refused later
    with terminal:
        outcome = anonymize(
            data,
            asked,
            output,
            keep_order=keep_order,
            shuffle=shuffle,
            seed=seed,
            escape_formulas=escape_formulas,
            strict_leaks=strict_leaks,
            numbers=numbers,
            against=against,
            # Reasons are not found where records are suppressed; an owner's report is made all the same.
            why=why or (owner_report is not None and asked.suppress is None),
            engine=engine,
            memory=memory,
            on_event=terminal.hear,
            beside=sidecars.make,
            **search.keywords(),
        )
    terminal.show_messages(outcome.messages, Level.WARNING)
    if quiet and not json_:
        return 0
    from maskwise.report.report import report as make_report  # noqa: PLC0415 - not where nothing is shown

    report_data = make_report(outcome, Audience.OWNER).data
    if json_:
        print_json(report_data)
        return 0
    terminal.show_report(report_data, outcome.verdict)
    if (owners := outcome.owner_risk or outcome.risk) is not None:
        from maskwise.cli.risk_tables import show_risk  # noqa: PLC0415 - as above

        show_risk(terminal, owners)
    if why:
        from maskwise.cli.why import show_why  # noqa: PLC0415 - as above

        show_why(terminal, report_data["why"])
    terminal.show_messages(outcome.messages, Level.NOTE)
    written: dict[str, str | Path | None] = {"release": output, "solution": solution, "trace": trace}
    written |= {"curve": curve, "report": report, "owner's report": owner_report}
    for what, where in written.items():
        if where is not None:
            is_secret = what in {"trace", "curve", "owner's report"} or (what == "solution" and not public)
            remark = " (keep it private: it says more than the release)" * is_secret
            remark += " (it replaced an earlier one)" * (what == "release" and was_there)
            terminal.say(f"{what}: {where}{remark}")
    for line in [] if certification is None else certification.lines():
        terminal.say(line)
    return 0
