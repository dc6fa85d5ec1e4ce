"""What the server of the page refuses: other hosts, other sites, no token."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from tests.studio.page.conftest import NewTab, StudioProcess

pytestmark = pytest.mark.slow


def ask(studio: StudioProcess, **headers: str) -> int:
    """Ask for the state with other headers than the page's, and give the status."""
    host = studio.origin.removeprefix("http://")
    usual = {
        "Host": host,
        "Origin": studio.origin,
        "X-Maskwise-Token": studio.token,
        "Content-Type": "application/json",
    }
    connection = http.client.HTTPConnection(host, timeout=20)
    given = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection.request("POST", "/api/state", json.dumps({}), {name: value for name, value in given.items() if value})
    status = connection.getresponse().status
    connection.close()
    return status


def test_other_hosts_other_sites_and_no_token_are_refused(studio: StudioProcess) -> None:
    assert ask(studio) == 200
    assert ask(studio, Host="evil.example") == 403
    assert ask(studio, Host=f"localhost:{studio.origin.rpartition(':')[2]}") == 403
    assert ask(studio, Origin="https://evil.example") == 403
    assert ask(studio, Origin="null") == 403
    assert ask(studio, Sec_Fetch_Site="cross-site") == 403
    assert ask(studio, X_Maskwise_Token="") == 401
    assert ask(studio, X_Maskwise_Token="x" * 43) == 401


def test_another_site_in_the_same_browser_gets_nothing(browser: Any, studio: StudioProcess) -> None:
    context = browser.new_context()
    context.route(
        "https://evil.example/", lambda route: route.fulfill(body="<title>evil</title>", content_type="text/html")
    )
    page = context.new_page()
    page.goto("https://evil.example/")
    got = page.evaluate(
        """async ([origin, token]) => {
          const headers = { "X-Maskwise-Token": token, "Content-Type": "application/json" };
          try { return (await fetch(`${origin}/api/state`, { method: "POST", body: "{}", headers })).status; }
          catch { return "refused"; }
        }""",
        [studio.origin, studio.token],
    )
    assert got == "refused"
    context.close()


def test_the_page_runs_under_a_strict_policy(new_tab: NewTab, studio: StudioProcess) -> None:
    page = new_tab()
    answer = page.request.get(f"{studio.origin}/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"
    ran = page.evaluate(
        """() => {
          try { document.createElement("img").setAttribute("onerror", "window.inline = 1"); return "ran"; }
          catch (error) { return error.message; }
        }"""
    )
    assert "TrustedScript" in ran
