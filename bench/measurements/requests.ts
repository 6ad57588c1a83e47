import { Load, type RequestSpec } from '../load.js';
import { type MeasuredServer, startBareRequests, startPlatform } from '../processes.js';
import { type Row, rowOf } from '../report.js';
import { type Contestant, compare, ROUNDS, SECONDS_PER_ROUND } from '../rounds.js';
import { createWorld, type World, type WorldSize } from '../world.js';

const CALLERS = 16;
/** A number of requests, not a time: a busy machine runs few requests in a given time, and rarely-run code is slow. */
const WARM_UP_REQUESTS = 1_000;
const AIM = '≥ 0.6';
const JSON_BODY = { 'content-type': 'application/json' };

interface Questions {
  subject: RequestSpec;
  baseline: RequestSpec;
}

type Ask = (world: World, subject: MeasuredServer, baseline: MeasuredServer) => Questions;

const CONTENT = 'The tide is in, the causeway is shut, and the ferry leaves at noon.';

/** Posts one text message: permissions, row, event and response. The baseline is one equal insert. */
export function sendMessage(): Promise<Row[]> {
  const ask: Ask = ({ channelIds: [channelId], botTokens: [token] }, subject, baseline) => {
    const body = JSON.stringify({ content: CONTENT });
    return {
      subject: {
        method: 'POST',
        url: `${subject.origin}/api/v10/channels/${channelId}/messages`,
        headers: { ...JSON_BODY, authorization: `Bot ${token}` },
        body,
      },
      baseline: { method: 'POST', url: `${baseline.origin}/channels/${channelId}/messages`, headers: JSON_BODY, body },
    };
  };
  return measure('send a message', { channels: 1, messagesPerChannel: 0, bots: 1 }, ask);
}

/** Reads the newest 50 of 500 messages. The baseline is one query with the authors and files, and the same JSON. */
export function listMessages(): Promise<Row[]> {
  const ask: Ask = ({ channelIds: [channelId], botTokens: [token] }, subject, baseline) => ({
    subject: {
      method: 'GET',
      url: `${subject.origin}/api/v10/channels/${channelId}/messages?limit=50`,
      headers: { authorization: `Bot ${token}` },
    },
    baseline: { method: 'GET', url: `${baseline.origin}/channels/${channelId}/messages?limit=50` },
  });
  return measure('list 50 messages', { channels: 1, messagesPerChannel: 500, bots: 1 }, ask);
}

const MEMBERS = { channels: 1, messagesPerChannel: 0, bots: 1, people: 1_000 };

/** Reads a page of 100 of 1,000 members. The baseline is one query with their users and roles, and the same JSON. */
export function listMembers(): Promise<Row[]> {
  return measure('list 100 members', MEMBERS, askForMembers('members?limit=100'));
}

/** Finds ten members by the beginning of their names. The baseline is one scan of the index of usernames. */
export function searchMembers(): Promise<Row[]> {
  return measure('search 10 members', MEMBERS, askForMembers('members/search?query=person.1&limit=10'));
}

function askForMembers(what: string): Ask {
  return ({ guildId, botTokens: [token] }, subject, baseline) => ({
    subject: {
      method: 'GET',
      url: `${subject.origin}/api/v10/guilds/${guildId}/${what}`,
      headers: { authorization: `Bot ${token}` },
    },
    baseline: { method: 'GET', url: `${baseline.origin}/guilds/${guildId}/${what}` },
  });
}

const GUILD_QUERY = `query ($id: ID!) {
  guild(id: $id) {
    id
    name
    channels { id name type messages(last: 1) { edges { node { id content createdAt author { id username } } } } }
  }
}`;

/**
 * Reads a guild with 20 channels of 500 messages, and the last message of each. The baseline is the fastest of three
 * hand-written ways, which are compared first.
 */
export async function guildWithLastMessages(): Promise<Row[]> {
  const world = await createWorld({ channels: 20, messagesPerChannel: 500, bots: 1 });
  const way = await fastestWay(world);
  const ask: Ask = ({ guildId, personToken }, subject, baseline) => ({
    subject: {
      method: 'POST',
      url: `${subject.origin}/graphql`,
      headers: { ...JSON_BODY, authorization: `Bearer ${personToken}` },
      body: JSON.stringify({ query: GUILD_QUERY, variables: { id: guildId } }),
    },
    baseline: guildRequest(baseline, way, world),
  });
  return measure('GraphQL: guild, channels, last messages', world, ask);
}

const WAYS = ['nested', 'grouped', 'each'] as const;

async function fastestWay(world: World): Promise<string> {
  const server = await startBareRequests(world.dataDir);
  const load = new Load(CALLERS);
  const rates = new Map<string, number>();
  for (const way of WAYS) {
    const spec = guildRequest(server, way, world);
    await load.run(spec, 0.5);
    rates.set(way, (await load.run(spec, 1)).rate);
  }
  load.close();
  await server.stop();
  console.log(
    `hand-written queries, requests/s: ${[...rates].map(([way, rate]) => `${way} ${rate.toFixed(0)}`).join(', ')}`,
  );
  return [...rates].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

function guildRequest({ origin }: MeasuredServer, way: string, { guildId }: World): RequestSpec {
  const body = JSON.stringify({ id: guildId });
  return { method: 'POST', url: `${origin}/guild/${way}`, headers: JSON_BODY, body };
}

async function measure(name: string, of: World | WorldSize, ask: Ask): Promise<Row[]> {
  const world = 'dataDir' in of ? of : await createWorld(of);
  const subject = await startPlatform(world.dataDir);
  const baseline = await startBareRequests(world.dataDir);
  const questions = ask(world, subject, baseline);
  const load = new Load(CALLERS);
  try {
    await showAnswers(load, questions);
    await load.warmUp(questions.subject, WARM_UP_REQUESTS);
    await load.warmUp(questions.baseline, WARM_UP_REQUESTS);
    const contestant = (server: MeasuredServer, question: RequestSpec): Contestant => ({
      server,
      async round() {
        const { answered, rate } = await load.run(question, SECONDS_PER_ROUND);
        return { operations: answered, rates: [rate] };
      },
    });
    const ours = contestant(subject, questions.subject);
    const comparisons = await compare(ours, contestant(baseline, questions.baseline), ROUNDS);
    return comparisons.map((comparison) => rowOf(`${name}, ${CALLERS} callers`, 'requests/s', AIM, comparison));
  } finally {
    load.close();
    await subject.stop();
    await baseline.stop();
  }
}

/** Checks that both respond, and prints the sizes of the responses. */
async function showAnswers(load: Load, { subject, baseline }: Questions): Promise<void> {
  const answers = [await load.once(subject), await load.once(baseline)];
  if (answers[0]?.includes('"errors"')) throw new Error(`the platform answered ${answers[0].slice(0, 500)}`);
  console.log(`answers of ${answers.map((answer) => `${answer.length} bytes`).join(' (platform) and ')} (baseline)`);
}
