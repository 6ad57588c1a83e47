// The baseline of the portal's pages: a page with one script that requests a little JSON from a bare server and renders
// it. The server forwards posts from another page to it. It has no users, checks and storage.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { WebSocketServer } from 'ws';

const applications = Array.from({ length: 30 }, (_, index) => ({ id: String(index), name: `Application ${index}` }));

const read = (name) => readFileSync(join(import.meta.dirname, 'page', name));
const files = {
  '/': { type: 'text/html; charset=utf-8', body: read('index.html') },
  '/page.js': { type: 'text/javascript; charset=utf-8', body: read('page.js') },
};

const server = createServer(async (request, response) => {
  if (request.method === 'POST') return response.end(await passOn(request));
  const { type, body } = files[request.url] ?? { type: 'application/json', body: JSON.stringify(find(request.url)) };
  response.writeHead(200, { 'content-type': type }).end(body);
});
const sockets = new WebSocketServer({ server, perMessageDeflate: false });

function find(url) {
  const id = url.split('/')[2];
  return id === undefined ? applications : (applications.find((application) => application.id === id) ?? null);
}

/** @returns JSON of a GraphQL response without errors */
async function passOn(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  for (const socket of sockets.clients) socket.send(text);
  return '{}';
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ origin: `http://127.0.0.1:${server.address().port}` }));
});
process.once('SIGTERM', () => process.exit());
