from __future__ import annotations

from typing import Any

import pytest

from hexr.sandbox import Client, ConfigurationError
from hexr.sandbox._settings import Settings

VARIABLES = {
    "HEXR_SANDBOX_URL": "https://a.example/prefix/",
    "HEXR_SANDBOX_CA_FILE": "/ca",
    "HEXR_SANDBOX_CERT_FILE": "/cert",
    "HEXR_SANDBOX_KEY_FILE": "/key",
    "HEXR_SANDBOX_SERVER_ID": "spiffe://example.org/a",
    "HEXR_SANDBOX_CONNECT_TIMEOUT": "1.5",
    "HEXR_SANDBOX_DEADLINE": "60",
    "HEXR_SANDBOX_MAX_RETRIES": "0",
}


def test_the_defaults_lead_to_an_engine_on_this_machine() -> None:
    assert Settings.resolve(environ={}) == Settings("http://127.0.0.1:8080", None, None, None, None, 5.0, None, 5)


def test_variables_win_over_defaults() -> None:
    expected = Settings("https://a.example/prefix", "/ca", "/cert", "/key", "spiffe://example.org/a", 1.5, 60.0, 0)
    assert Settings.resolve(environ=VARIABLES) == expected


def test_arguments_win_over_variables() -> None:
    given = Settings.resolve(
        url="https://b.example",
        ca_file="/ca2",
        cert_file="/cert2",
        key_file="/key2",
        server_id="spiffe://example.org/b",
        connect_timeout=2,
        deadline=3,
        max_retries=4,
        environ=VARIABLES,
    )
    assert given == Settings("https://b.example", "/ca2", "/cert2", "/key2", "spiffe://example.org/b", 2, 3, 4)


def test_an_empty_variable_is_not_set() -> None:
    assert Settings.resolve(environ=dict.fromkeys(VARIABLES, "")) == Settings.resolve(environ={})


@pytest.mark.parametrize(
    "environ",
    [
        {"HEXR_SANDBOX_URL": "127.0.0.1:8080"},
        {"HEXR_SANDBOX_URL": "ftp://host"},
        {"HEXR_SANDBOX_URL": "http://host/?q"},
        {"HEXR_SANDBOX_URL": "http://"},
        {"HEXR_SANDBOX_CONNECT_TIMEOUT": "soon"},
        {"HEXR_SANDBOX_CONNECT_TIMEOUT": "0"},
        {"HEXR_SANDBOX_DEADLINE": "-1"},
        {"HEXR_SANDBOX_DEADLINE": "inf"},
        {"HEXR_SANDBOX_DEADLINE": "nan"},
        {"HEXR_SANDBOX_MAX_RETRIES": "1.5"},
        {"HEXR_SANDBOX_MAX_RETRIES": "-1"},
        {"HEXR_SANDBOX_URL": "https://host", "HEXR_SANDBOX_CERT_FILE": "/cert"},
        {"HEXR_SANDBOX_URL": "http://host", "HEXR_SANDBOX_CA_FILE": "/ca"},
        {"HEXR_SANDBOX_URL": "https://host", "HEXR_SANDBOX_CA_FILE": "/ca", "HEXR_SANDBOX_SERVER_ID": "host"},
        {"HEXR_SANDBOX_URL": "https://host", "HEXR_SANDBOX_SERVER_ID": "spiffe://example.org/a"},
    ],
)
def test_a_bad_variable_is_a_configuration_error(environ: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Settings.resolve(environ=environ)
    assert caught.value.code == "invalid_configuration"


@pytest.mark.parametrize("arguments", [{"ca_file": "/nonexistent"}, {"cert_file": "/nonexistent", "key_file": "/nonexistent"}])
def test_files_that_are_not_there_are_a_configuration_error(arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="/nonexistent"):
        Client("https://127.0.0.1", **arguments)
