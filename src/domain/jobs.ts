import { type Database, shrinkSqlite } from '../infra/database/index.js';
import type { JobKinds } from '../infra/jobs/index.js';
import type { Logger } from '../infra/observability/logger.js';
import type { BlobStore } from '../infra/storage/blobs.js';
import { removeAbandonedFiles } from './abandoned-files.js';
import { finishDeletion } from './applications/delete.js';
import { removeMessagesOfBanned } from './bans/messages.js';
import { greet } from './built-in-commands/greetings/greet.js';
import { remind } from './built-in-commands/reminders/remind.js';
import type { CallContext } from './call.js';
import { removeChannel } from './channels/remove.js';
import { deleteDueAccounts } from './deletions/due.js';
import { finishPersonDeletion } from './deletions/finish.js';
import { removeExpiredRows } from './expired-rows.js';
import { removeGuild } from './guilds/delete.js';
import { AskedBoxes } from './installations/asked-boxes.js';
import { settleBoxBot } from './installations/box-bots.js';
import { forgetBot } from './installations/box-changes.js';
import { settleOverdue } from './interactions/delivery/overdue.js';
import { removeOldInteractionFiles } from './interactions/expired.js';
import { type DomainJobPayloads, JOB_PAYLOADS } from './job-payloads.js';
import { correctNameKeys } from './members/correct-name-keys.js';
import { removeInactive } from './members/prune.js';
import { removeOldEphemeralMessages } from './messages/expired.js';
import { type RetentionSettings, removeByAge } from './retention.js';
import { showMemberships } from './users/shown.js';

export interface JobSupplies {
  db: Database;
  blobs: BlobStore;
  log: Logger;
  config: RetentionSettings;
  callOfNobody: () => CallContext;
}

/** Concurrent jobs that wait for boxes. One box may occupy only a few of them. */
const BOXES_AT_ONCE = 16;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function jobKinds({ db, blobs, log, config, callOfNobody }: JobSupplies): JobKinds<DomainJobPayloads> {
  const asked = new AskedBoxes();
  return {
    'abandoned-files': {
      payload: JOB_PAYLOADS['abandoned-files'],
      atOnce: 1,
      everyMs: 6 * HOUR_MS,
      maxMs: 3 * HOUR_MS,
      run: (_payload, { clock, signal }) => removeAbandonedFiles({ read: db.reader, blobs, clock, log }, signal),
    },
    'delete-person': {
      payload: JOB_PAYLOADS['delete-person'],
      atOnce: 1,
      // A store may be away for days, and nothing else removes the rest.
      tries: 200,
      maxMs: 3 * HOUR_MS,
      run: (deletion, { signal }) => finishPersonDeletion(callOfNobody(), deletion, signal),
    },
    'due-deletions': {
      payload: JOB_PAYLOADS['due-deletions'],
      atOnce: 1,
      everyMs: HOUR_MS,
      maxMs: HOUR_MS,
      run: (_payload, { signal }) => deleteDueAccounts(callOfNobody(), signal),
    },
    'expired-rows': {
      payload: JOB_PAYLOADS['expired-rows'],
      atOnce: 1,
      everyMs: HOUR_MS,
      maxMs: HOUR_MS,
      run: async (_payload, { clock, signal }) => {
        await removeExpiredRows(db, clock, signal);
        await removeOldInteractionFiles(db, blobs, clock.now(), signal);
        await removeOldEphemeralMessages(db, blobs, clock.now(), signal);
        await removeByAge({ db, blobs, config }, clock.now(), signal);
        await shrinkSqlite(db, signal);
      },
    },
    'messages-of-banned': {
      payload: JOB_PAYLOADS['messages-of-banned'],
      atOnce: 1,
      maxMs: HOUR_MS,
      run: (payload, { signal }) => removeMessagesOfBanned(callOfNobody(), payload, signal),
    },
    // A migration adds this job once.
    'name-keys': {
      payload: JOB_PAYLOADS['name-keys'],
      atOnce: 1,
      maxMs: HOUR_MS,
      run: (_payload, { signal }) => correctNameKeys(db, signal),
    },
    greeting: {
      payload: JOB_PAYLOADS.greeting,
      atOnce: 4,
      run: (greeting, { id }) => greet(callOfNobody(), greeting, `g${id}`),
    },
    reminder: {
      payload: JOB_PAYLOADS.reminder,
      atOnce: 4,
      run: (reminder, { id }) => remind(callOfNobody(), reminder, `r${id}`),
    },
    'prune-members': {
      payload: JOB_PAYLOADS['prune-members'],
      atOnce: 1,
      maxMs: HOUR_MS,
      run: (prune, { signal }) => removeInactive(callOfNobody(), prune, signal),
    },
    // Settles interactions of ended processes. Each live process settles its own.
    'overdue-interactions': {
      payload: JOB_PAYLOADS['overdue-interactions'],
      atOnce: 1,
      everyMs: MINUTE_MS,
      maxMs: MINUTE_MS,
      run: (_payload, { signal }) => settleOverdue(callOfNobody(), signal),
    },
    'finish-deletion': {
      payload: JOB_PAYLOADS['finish-deletion'],
      atOnce: 1,
      maxMs: HOUR_MS,
      run: ({ applicationId }, { signal }) => finishDeletion(callOfNobody(), applicationId, signal),
    },
    'remove-guild': {
      payload: JOB_PAYLOADS['remove-guild'],
      atOnce: 1,
      maxMs: 3 * HOUR_MS,
      run: ({ guildId, channelIds }, { signal }) =>
        removeGuild({ db, blobs, call: callOfNobody(), signal }, BigInt(guildId), channelIds.map(BigInt)),
    },
    'remove-channel': {
      payload: JOB_PAYLOADS['remove-channel'],
      atOnce: 1,
      maxMs: 3 * HOUR_MS,
      run: ({ channelId }, { signal }) => removeChannel(db, blobs, BigInt(channelId), signal),
    },
    'settle-box-bot': {
      payload: JOB_PAYLOADS['settle-box-bot'],
      atOnce: BOXES_AT_ONCE,
      run: (bot) => settleBoxBot(callOfNobody(), bot, asked),
    },
    'forget-box-bot': {
      payload: JOB_PAYLOADS['forget-box-bot'],
      atOnce: BOXES_AT_ONCE,
      run: ({ guildId, botId }) => forgetBot(callOfNobody(), guildId, botId, asked),
    },
    'show-user': {
      payload: JOB_PAYLOADS['show-user'],
      atOnce: 1,
      maxMs: HOUR_MS,
      run: ({ userId }, { signal }) => showMemberships(callOfNobody(), BigInt(userId), signal),
    },
  };
}
