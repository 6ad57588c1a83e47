// The baseline of interactions over the gateway: a bare server without users, checks and storage. It sends each POST to
// its one ws client as a message, and accepts a POST of that client as the answer.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

/** About the length of the platform's payload for the command, in characters. */
const PADDING = 'x'.repeat(1_800);

let asked = 0;
let client = null;

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  JSON.parse(text);
  if (request.url !== '/ask') return response.writeHead(204).end();
  asked += 1;
  const d = { id: String(asked), token: 'token', padding: PADDING };
  client.send(JSON.stringify({ op: 0, s: asked, t: 'INTERACTION_CREATE', d }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ data: { invokeCommand: { interaction: { id: d.id } } } }));
});
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
  client = socket;
  socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 45_000 } }));
  socket.once('message', () => socket.send(JSON.stringify({ op: 0, s: 0, t: 'READY', d: {} })));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ origin: `http://127.0.0.1:${server.address().port}` }));
});
process.once('SIGTERM', () => process.exit());
