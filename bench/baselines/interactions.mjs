// What delivered interactions are measured against: a bare loop that signs the same payload and posts it to the same endpoint. Nothing is
// known of anybody, nothing stored, nobody told.
import { createPrivateKey, sign } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const key = createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.alloc(32, 7)]), format: 'der', type: 'pkcs8' });
const agent = new Agent({ keepAlive: true });

function post(url, body) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-signature-ed25519': sign(null, Buffer.from(timestamp + body), key).toString('hex'),
    'x-signature-timestamp': timestamp,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: 'POST', headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve(JSON.parse(text)));
    });
    sent.on('error', reject).end(body);
  });
}

async function round({ url, body, seconds, inFlight }) {
  const start = performance.now();
  const end = start + seconds * 1_000;
  let answered = 0;
  const caller = async () => {
    while (performance.now() < end) {
      await post(url, body);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  return { answered, rate: (answered * 1_000) / (performance.now() - start) };
}

const server = createServer(async (asked, response) => {
  let text = '';
  for await (const chunk of asked.setEncoding('utf8')) text += chunk;
  response.end(JSON.stringify(await round(JSON.parse(text))));
});
server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ origin: `http://127.0.0.1:${server.address().port}` }));
});
process.once('SIGTERM', () => process.exit());
