import type { Command } from 'commander';
import { examples } from '../examples.js';
import { run } from './act.js';
import { type AdminOptions, askInstance, withInstance } from './connection.js';
import { findPerson } from './find.js';
import { print, table, time, withLimit } from './output.js';

interface Entry {
  id: string;
  createdAt: string;
  actor: { id: string; username: string } | null;
  action: string;
  target: string | null;
  targetName: string | null;
  changes: unknown;
  reason: string | null;
}

interface Log {
  edges: { node: Entry }[];
  pageInfo: { hasPreviousPage: boolean; startCursor: string | null };
}

interface AuditOptions extends AdminOptions {
  limit: number;
  before?: string;
  actor?: string;
  action?: string[];
  target?: string;
}

const AUDIT = `query ($last: Int, $before: String, $actions: [String!], $actorId: ID, $targetId: ID) { instance {
  auditLog(last: $last, before: $before, actions: $actions, actorId: $actorId, targetId: $targetId) {
    edges { node { id createdAt actor { id username } action target targetName changes reason } }
    pageInfo { hasPreviousPage startCursor }
  }
} }`;

export function addAuditCommand(admin: Command): void {
  withLimit(withInstance(admin.command('audit')))
    .summary('show what operators did')
    .description('Shows what operators and this command line did. The newest entries are at the end.')
    .option('--actor <person>', 'actions of this person only: ID, username or email address')
    .option('--action <names...>', 'these actions only, such as PERSON_SUSPEND')
    .option('--target <id>', 'actions on the person, application or server with this ID only')
    .option('--before <cursor>', 'show entries before this one, as the start of a page names it')
    .addHelpText(
      'after',
      examples(
        ['causeway admin audit --limit 20', 'show the newest 20 entries'],
        ['causeway admin audit --action PERSON_SUSPEND PERSON_RESTORE', 'show suspensions'],
      ),
    )
    .action((options: AuditOptions) => run(() => show(options)));
}

async function show(options: AuditOptions): Promise<void> {
  const { limit: last, before, actor, action: actions, target: targetId } = options;
  const actorId = actor === undefined ? undefined : (await findPerson(options, actor)).id;
  const variables = { last, before, actions, actorId, targetId };
  const { instance } = await askInstance<{ instance: { auditLog: Log } }>(options, AUDIT, variables);
  const { edges, pageInfo } = instance.auditLog;
  if (pageInfo.hasPreviousPage && !options.json) {
    process.stderr.write(`There are earlier ones: pass --before ${pageInfo.startCursor}\n`);
  }
  const text = table(
    edges.map(({ node }) => node),
    {
      TIME: ({ createdAt }) => time(createdAt),
      // Only the command line of the machine acts without a user.
      ACTOR: (entry) => entry.actor?.username ?? 'command line',
      ACTION: ({ action }) => action,
      TARGET: ({ target, targetName }) => targetName ?? target,
      REASON: ({ reason }) => reason,
    },
  );
  print(options, instance.auditLog, text);
}
