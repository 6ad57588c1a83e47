// The baseline of the gateway: a bare ws server with prepared messages. `POST /answers` sets its messages on connecting
// and on IDENTIFY, and `POST /broadcast` sends bytes to every socket. It has no sessions, intents and sequence numbers.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const http = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (request.url === '/broadcast') broadcast(body);
  else answers = JSON.parse(body).map((text) => Buffer.from(text));
  response.end();
});
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
const asText = { binary: false };
const ACKNOWLEDGEMENT = Buffer.from('{"t":null,"s":null,"op":11,"d":null}');
let answers = [];

sockets.on('connection', (socket) => {
  const [hello, ...introduction] = answers;
  socket.send(hello, asText);
  socket.on('message', (data) => {
    const { op } = JSON.parse(data);
    if (op === 1) socket.send(ACKNOWLEDGEMENT, asText);
    if (op !== 2) return;
    for (const answer of introduction) socket.send(answer, asText);
  });
});

function broadcast(bytes) {
  for (const socket of sockets.clients) socket.send(bytes, asText);
}

process.once('SIGTERM', () => process.exit(0));
http.keepAliveTimeout = 60_000;
http.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ origin: `http://127.0.0.1:${http.address().port}` }));
});
