# SPDX-License-Identifier: Apache-2.0
"""The pages over HTTP, for one application, on this machine or with a token.

Whatever a request says, it can only ask for the few things below: no path is ever made of one, and
what is run is what the command line named.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import BoundedSemaphore
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tandem.diagnostics import TandemError, diagnostic_json, user_error
from tandem.report.html import page_of
from tandem.serve.live import Live, Wish

MOST_BYTES = 64 << 10
"""Of the body of a request."""
MOST_REQUESTS = 32
"""At a time; more are told to come again."""
SILENT_SECONDS = 10
"""A client that says nothing for so long is left."""
PATIENCE_SECONDS = 60.0
COOKIE = "tandem-token"
LIVE = {"title": "Tandem, live", "live": True}
"""The data of a page that asks for all else."""


class Server(ThreadingHTTPServer):
    """Serves the page of an application. `address`: one of this machine's; any but loopback's
    wants `token`."""

    daemon_threads = True

    def __init__(self, live: Live, address: str, port: int) -> None:
        self.live = live
        self.is_local = is_loopback(address)
        self.token = None if self.is_local else secrets.token_urlsafe(24)
        self.room = BoundedSemaphore(MOST_REQUESTS)
        try:
            super().__init__((address, port), _Handler)
        except OSError as error:
            cure = "choose another --port, or leave it out for a free one"
            text = f"cannot listen on {address}:{port}: {error.strerror or error}"
            raise user_error("serve", text, help=cure) from error
        self.hosts = {f"{name}:{self.server_port}" for name in ("localhost", "127.0.0.1", "[::1]")}

    @property
    def url(self) -> str:
        """Where the page is, with the token that it takes."""
        name = str(self.server_address[0])
        query = f"?token={self.token}" if self.token else ""
        return f"http://{f'[{name}]' if ':' in name else name}:{self.server_port}/{query}"


def is_loopback(address: str) -> bool:
    """Raises UserError for what is no address."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        cure = "give a number such as 127.0.0.1; 0.0.0.0 for all, which wants the token"
        raise user_error("serve", f"`{address}` is no address", help=cure) from None


class _Refused(Exception):
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: Server  # pyright: ignore
    timeout = SILENT_SECONDS
    server_version, sys_version = "Tandem", ""
    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        self._answer({"/": self._page, "/data": self._data, "/state": self._state})

    def do_POST(self) -> None:
        self._answer({"/wish": self._wish})

    def __getattr__(self, name: str) -> Any:
        """Any other method is refused like these."""
        if name.startswith("do_"):
            return lambda: self._answer({})
        raise AttributeError(name)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: what clients say is nobody's output."""

    def _answer(self, routes: dict[str, Callable[[], None]]) -> None:
        if not self.server.room.acquire(blocking=False):
            return self._send(503, b"busy", "text/plain")
        try:
            self._require_known()
            path = urlsplit(self.path).path
            if path not in ("/", "/data", "/state", "/wish"):
                raise _Refused(404, "not found")
            if path not in routes:
                raise _Refused(405, "not this way")
            routes[path]()
        except _Refused as refused:
            self._send(refused.status, str(refused).encode(), "text/plain")
        except TandemError as error:
            self._send_json(400, {"errors": [diagnostic_json(d) for d in error.diagnostics]})
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception as error:
            told = {
                "code": "internal",
                "message": f"a fault of Tandem's own: {error!r}",
                "help": "",
            }
            self._send_json(500, {"errors": [told]})
        finally:
            self.server.room.release()

    def _require_known(self) -> None:
        """Raises _Refused for another site's requests, and for a stranger's."""
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        if self.server.is_local and host not in self.server.hosts:
            raise _Refused(403, "asked by another name")
        if origin is not None and origin != f"http://{host}":
            raise _Refused(403, "asked by another site")
        if self.server.token is not None and not self._has_token(self.server.token):
            raise _Refused(401, "the address that tandem printed has the token")

    def _has_token(self, token: str) -> bool:
        query = parse_qs(urlsplit(self.path).query).get("token", [""])[0]
        cookies = [c.strip().partition("=") for c in self.headers.get("Cookie", "").split(";")]
        given = [query, *(value for name, _, value in cookies if name == COOKIE)]
        return any(hmac.compare_digest(text.encode(), token.encode()) for text in given)

    def _page(self) -> None:
        body = b"".join(page_of(LIVE, is_live=True))
        self._send(200, body, "text/html; charset=utf-8", has_cookie=True)

    def _data(self) -> None:
        if self.server.live.data is None:
            raise _Refused(503, "not built yet")
        self._send_json(200, self.server.live.data)

    def _state(self) -> None:
        self._send_json(200, self.server.live.state())

    def _wish(self) -> None:
        found = self.server.live.wish(Wish.of(self._body()), PATIENCE_SECONDS)
        if found is None:
            return self._send_json(202, self.server.live.state())
        self._send_json(200, found)

    def _body(self) -> Any:
        if self.headers.get("Content-Type", "").split(";")[0].strip() != "application/json":
            raise _Refused(415, "a wish is application/json")
        size = self.headers.get("Content-Length", "")
        if not size.isascii() or not size.isdecimal():
            raise _Refused(411, "how long is it?")
        if len(size) > 9 or int(size) > MOST_BYTES:
            raise _Refused(413, f"a wish has at most {MOST_BYTES} bytes")
        try:
            return json.loads(self.rfile.read(int(size)))
        except (ValueError, RecursionError):
            raise _Refused(400, "no JSON") from None

    def _send_json(self, status: int, data: Any) -> None:
        self._send(status, json.dumps(data).encode(), "application/json")

    def _send(self, status: int, body: bytes, kind: str, has_cookie: bool = False) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if has_cookie and self.server.token is not None:
            cookie = f"{COOKIE}={self.server.token}; HttpOnly; SameSite=Strict; Path=/"
            self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}
