"""A plugin that implements the protocol (docs/reference/plugin-protocol.md) with the standard library only."""
import base64, hashlib, hmac, json, os, signal, socket, sys, threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingMixIn, UnixStreamServer

start = json.load(os.fdopen(3))
bearer = "Bearer " + start["token"]
definition = json.loads(sys.argv[1])
letters = "/apis/letters.example.com/v1/letters"


class Host(HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(start["host"])


def ask(path):
    """Calls the API as the plugin."""
    host = Host("host", timeout=10)
    try:
        host.request("GET", path, headers={"Authorization": bearer})
        return json.load(host.getresponse())
    finally:
        host.close()


def evaluated(item):
    text = item["object"].get("spec", {}).get("text", "")
    values = {name: sorted(set(text.lower().split())) for name in item["indexes"]}
    if item.get("check") and not text:
        return {"values": values, "errors": [{"pointer": "/spec/text", "field": "spec.text", "message": "is empty"}]}
    return {"values": values}


class Plugin(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not hmac.compare_digest(self.headers.get("Authorization", ""), bearer):
            return self.send(401, {"detail": "only the host is answered here"})
        line = f"{self.command} {self.path}"
        if line == "GET /pergola/health":
            return self.send(200, {})
        if line == "GET /pergola/definition":
            return self.send(200, definition)
        if line == "POST /pergola/evaluate":
            return self.send(200, {"items": [evaluated(item) for item in json.loads(body)["items"]]})
        if line == "GET /apis/console.api.letters.example.com/v1/letters/-/count":
            return self.send(200, {"count": ask(letters)["total"], "caller": self.headers.get("Pergola-Caller")})
        if line == "GET /apis/console.api.letters.example.com/v1/letters/-/talk":
            return self.talk() if self.headers.get("Upgrade") else self.send(400, {"detail": "ask for a WebSocket"})
        return self.send(404, {"detail": f"nothing is at {self.path}"})

    do_GET = do_POST = answer

    def talk(self):
        """A WebSocket (RFC 6455) that echoes text in upper case."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Connection", "Upgrade")
        self.send_header("Upgrade", "websocket")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.close_connection = True
        while head := self.rfile.read(2):
            length = head[1] & 0x7F
            if length > 125:
                return  # Longer frames are not supported: the host closes the connection to the client.
            mask, words = self.rfile.read(4), self.rfile.read(length)
            said = bytes(byte ^ mask[at % 4] for at, byte in enumerate(words))
            kind = head[0] & 0x0F
            if kind == 8:
                self.wfile.write(bytes([0x88, len(said)]) + said)
                return
            if kind == 1:
                self.wfile.write(bytes([0x81, len(said)]) + said.upper())

    def send(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        """No line per request, because it would hide the other lines."""


class Server(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True


server = Server(start["listen"], Plugin)
signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
print("letters is up", flush=True)
server.serve_forever()
