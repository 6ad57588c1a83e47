// An application that receives its interactions over HTTP, without a gateway connection. Its one package verifies
// signatures.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { InteractionResponseType, InteractionType, verifyKey } from 'discord-interactions';

const API = `${process.env.API_URL ?? 'http://localhost:4000/api'}/v10`;

const COMMANDS = [
  { name: 'hello', description: 'Says hello, with a button' },
  { name: 'slow', description: 'Defers the response, then sends it' },
  { name: 'later', description: 'Responds through the callback route' },
];

/** Sends a request to the platform. A token in the path replaces all other credentials. */
async function ask(method, path, body, headers = {}) {
  const response = await fetch(API + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${method} ${path.split('?')[0].slice(0, 40)} failed with status ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

const message = (content, more = {}) => ({
  type: InteractionResponseType.CHANNEL_MESSAGE_WITH_SOURCE,
  data: { content, ...more },
});

const button = (label) => ({ type: 1, components: [{ type: 2, style: 1, label, custom_id: 'count' }] });

/** The response to the request itself, or undefined if the answer is sent later. */
function answer(interaction) {
  if (interaction.type === InteractionType.PING) return { type: InteractionResponseType.PONG };
  if (interaction.type === InteractionType.MESSAGE_COMPONENT) return count(interaction);
  const name = (interaction.member ?? interaction).user.username;
  switch (interaction.data.name) {
    case 'hello':
      return message(`Hello, ${name}!`, { components: [button('0')] });
    case 'slow':
      return { type: InteractionResponseType.DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE };
    default:
      return undefined;
  }
}

/** Changes the message whose button was pressed. */
function count({ message: { components } }) {
  const before = Number(components[0].components[0].label);
  return { type: InteractionResponseType.UPDATE_MESSAGE, data: { components: [button(String(before + 1))] } };
}

/** Runs after a request was answered. */
async function finish({ id, application_id: applicationId, token, data }) {
  if (data?.name === 'slow') {
    // Simulates work that takes longer than the time limit of 3 seconds.
    await setTimeout(1_000);
    await ask('PATCH', `/webhooks/${applicationId}/${token}/messages/@original`, { content: 'That took a while.' });
    await ask('POST', `/webhooks/${applicationId}/${token}`, { content: 'This is a follow-up message.' });
  }
  if (data?.name === 'later')
    await ask('POST', `/interactions/${id}/${token}/callback`, message('Better late than never.'));
}

async function take(publicKey, request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { 'x-signature-ed25519': signature = '', 'x-signature-timestamp': timestamp = '' } = request.headers;
  if (!(await verifyKey(body, signature, timestamp, publicKey))) {
    response.writeHead(401).end('bad signature');
    return;
  }
  const interaction = JSON.parse(body.toString());
  const answered = answer(interaction);
  if (answered) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
  else response.writeHead(202).end();
  await finish(interaction);
}

const credential = { authorization: `Bot ${process.env.BOT_TOKEN}` };
const { id, verify_key: publicKey } = await ask('GET', '/applications/@me', undefined, credential);
const commands = await ask('PUT', `/applications/${id}/commands`, COMMANDS, credential);

const server = createServer((request, response) => {
  take(publicKey, request, response).catch((error) => console.error(error));
});
await once(server.listen(Number(process.env.PORT ?? 3000), 'localhost'), 'listening');
for (const command of commands) console.log(`/${command.name} has the ID ${command.id}`);
console.log(`Receiving interactions at http://localhost:${server.address().port}/ for the application ${id}`);
console.log('Save this URL as the interactionsEndpointUrl of the application (see README.md in this folder).');
