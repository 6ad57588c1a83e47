// An interactions endpoint that answers everything with a message and verifies nothing. Both sides of the comparison
// post to it.
import { createServer } from 'node:http';

const ANSWER = '{"type":4,"data":{"content":"The ferry leaves at noon."}}';

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ origin: `http://127.0.0.1:${server.address().port}` }));
});
process.once('SIGTERM', () => process.exit());
