// The baseline of delivered interactions: a loop that signs the same payload and posts it to the same endpoint, without
// callers or events. With a DATA_DIR it stores the minimum for an answered command through the same client: the row
// before the post, one conditional update after the answer, and the message. Without a DATA_DIR it stores nothing.
import { createPrivateKey, sign } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const key = createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.alloc(32, 7)]), format: 'der', type: 'pkcs8' });
const agent = new Agent({ keepAlive: true });
const { DATA_DIR } = process.env;
const store = DATA_DIR === undefined ? null : await openStore(DATA_DIR);

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

async function openStore(dataDir) {
  const { openDatabase } = await import('../../dist/infra/database/index.js');
  const { snowflakes } = await import('../../dist/infra/ids/ids.js');
  const { createLogger } = await import('../../dist/infra/observability/logger.js');
  const db = await openDatabase({ url: null, dataDir, pool: 1 }, await createLogger('silent'));
  return { db, nextId: snowflakes({ now: () => Date.now() }, 1) };
}

async function deliver(url, body, ids) {
  if (store === null) return post(url, body);
  const { db, nextId } = store;
  const id = nextId();
  const [applicationId, userId, guildId, channelId, commandId] = [
    ids.applicationId,
    ids.userId,
    ids.guildId,
    ids.channelId,
    ids.commandId,
  ].map(BigInt);
  await db.writer.interaction.create({
    data: {
      id,
      applicationId,
      type: 2,
      tokenHash: 'x'.repeat(64),
      userId,
      guildId,
      channelId,
      name: 'ferry',
      commandId,
      data: { id: ids.commandId, name: 'ferry', type: 1 },
      owners: { guildId: ids.guildId },
      endsAt: new Date(Date.now() + 9_000),
    },
  });
  const answer = await post(url, body);
  const originalMessageId = nextId();
  await db.writer.interaction.updateMany({
    where: { id, state: { in: ['DELIVERING', 'DELIVERED_HTTP', 'DELIVERED_GATEWAY'] }, endsAt: { gt: new Date() } },
    data: { state: 'ANSWERED', endsAt: null, callbackType: 4, originalMessageId },
  });
  await db.writer.message.create({
    data: {
      id: originalMessageId,
      channelId,
      authorId: applicationId,
      applicationId,
      type: 20,
      content: answer.data.content,
      embeds: [],
      components: [],
      mentionUserIds: [],
      mentionRoleIds: [],
      interaction: { id: String(id), type: 2, name: 'ferry', userId: ids.userId, owners: { guildId: ids.guildId } },
    },
  });
}

async function round({ url, body, seconds, inFlight, ids }) {
  const start = performance.now();
  const end = start + seconds * 1_000;
  let answered = 0;
  const caller = async () => {
    while (performance.now() < end) {
      await deliver(url, body, ids);
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
process.once('SIGTERM', async () => {
  await store?.db.close();
  process.exit();
});
