// What the gateway is measured against: a bare ws server that knows its answers beforehand. `POST /answers` gives it what it
// says on connecting and on IDENTIFY, `POST /broadcast` the bytes for every socket. No sessions, no intents, no sequence.
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
let answers = [];

sockets.on('connection', (socket) => {
  const [hello, ...introduction] = answers;
  socket.send(hello, asText);
  socket.on('message', (data) => {
    if (JSON.parse(data).op !== 2) return;
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
