// `npm run bench [-- NAME]`: runs each measurement together with its baseline. See docs/performance.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareWithDocument } from './check.js';
import { registerCommands } from './measurements/commands.js';
import { fanOut, identifyToReady, idleSessions, manySessions } from './measurements/gateway.js';
import { deliverInteractions } from './measurements/interactions.js';
import { largeGuild } from './measurements/large-guild.js';
import { decidePermissions } from './measurements/permissions.js';
import { portal } from './measurements/portal.js';
import { boxesAtOnce, relay } from './measurements/relay.js';
import {
  guildWithLastMessages,
  listMembers,
  listMessages,
  searchMembers,
  sendMessage,
} from './measurements/requests.js';
import { roundTrips } from './measurements/round-trips.js';
import { silences } from './measurements/silence.js';
import { start } from './measurements/start.js';
import { webhookGuesses } from './measurements/webhook-guesses.js';
import { bulkDelete, createChannel } from './measurements/writes.js';
import { describeMachine, type Row, renderTable } from './report.js';
import { IS_CHECK } from './rounds.js';
import { cleanUp } from './scratch.js';

const measurements: Record<string, () => Promise<Row[]>> = {
  'send-message': sendMessage,
  'list-messages': listMessages,
  'list-members': listMembers,
  'search-members': searchMembers,
  'create-channel': createChannel,
  'bulk-delete': bulkDelete,
  'permission-decision': decidePermissions,
  interactions: deliverInteractions,
  'round-trips': roundTrips,
  commands: registerCommands,
  'fan-out': fanOut,
  identify: identifyToReady,
  memory: idleSessions,
  'many-sessions': manySessions,
  graphql: guildWithLastMessages,
  'large-guild': largeGuild,
  silence: silences,
  'webhook-guesses': webhookGuesses,
  relay,
  'relay-boxes': boxesAtOnce,
  start,
  portal,
};

/** Measurements of `--check`, within three minutes. */
const CHECKED = [
  'send-message',
  'list-messages',
  'list-members',
  'search-members',
  'permission-decision',
  'interactions',
  'round-trips',
  'fan-out',
  'identify',
  'memory',
  'many-sessions',
  'graphql',
];

const named = process.argv.slice(2).filter((name) => name !== '--check');
const wanted = IS_CHECK && named.length === 0 ? CHECKED : named;
const unknown = wanted.filter((name) => !(name in measurements));
if (unknown.length > 0) {
  console.error(`Unknown measurement: ${unknown.join(', ')}. Available: ${Object.keys(measurements).join(', ')}`);
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}

try {
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(measurements)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log(`\n${name} …`);
    rows.push(...(await measure()));
  }
  const document = join(import.meta.dirname, '../docs/performance.md');
  const result = IS_CHECK ? compareWithDocument(rows, readFileSync(document, 'utf8')) : renderTable(rows);
  console.log(`\n${describeMachine()}\n\n${result}`);
} catch (error) {
  console.error(`The measurement failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
