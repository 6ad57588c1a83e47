import type { Command } from 'commander';
import { examples } from '../examples.js';
import { Failure } from '../failure.js';
import { type ActOptions, type ConfirmedOptions, confirmed, run, withReason, withYes } from './act.js';
import { askInstance, withInstance } from './connection.js';
import { findPerson } from './find.js';
import { print } from './output.js';

interface DeleteOptions extends ActOptions, ConfirmedOptions {
  withMessages?: true;
  withOwned?: true;
}

interface Figures {
  messages: number;
  servers: number;
  teams: number;
  applications: number;
  boxes: number;
}

const FIGURES =
  'query ($id: ID!) { instance { person(id: $id) { figures { messages servers teams applications boxes } } } }';

const DELETE = `mutation ($personId: ID!, $reason: String!, $withMessages: Boolean!, $withOwned: Boolean!) {
  operatorDeletePerson(
    input: { personId: $personId, reason: $reason, withMessages: $withMessages, withOwned: $withOwned }
  ) { __typename }
}`;

export function addDeleteCommand(people: Command): void {
  withYes(withReason(withInstance(people.command('delete'))))
    .description(
      'Deletes a person at once, for good. Their name and email address disappear everywhere, and their applications are deleted.',
    )
    .argument('<person>', 'ID, username or email address')
    .option('--with-messages', 'also delete everything that they posted')
    .option('--with-owned', 'also delete the servers, teams and boxes that they own; without it, they must own none')
    .addHelpText(
      'after',
      examples(
        ['causeway admin people delete ada --reason "asked for it"', 'delete ada, whose messages stay'],
        ['causeway admin people delete ada --with-messages --with-owned --reason spam', 'delete everything of ada'],
      ),
    )
    .action((given: string, options: DeleteOptions) =>
      run(async () => {
        const { reason, withMessages = false, withOwned = false } = options;
        const { id, name } = await findPerson(options, given);
        const { instance } = await askInstance<{ instance: { person: { figures: Figures } } }>(options, FIGURES, {
          id,
        });
        const { figures } = instance.person;
        const owned = ownedText(figures);
        if (!withOwned && owned !== '')
          throw new Failure(`${name} owns ${owned}; hand them over first, or pass --with-owned`);
        await confirmed(options, planOf(`${name} (${id})`, figures, { withMessages, withOwned }));
        await askInstance(options, DELETE, { personId: id, reason, withMessages, withOwned });
        print(
          options,
          { personId: id },
          `Deleted ${name} (${id}). A job removes what they left; the portal shows its progress.`,
        );
      }),
    );
}

function planOf(
  who: string,
  { messages, applications, ...owned }: Figures,
  { withMessages, withOwned }: { withMessages: boolean; withOwned: boolean },
): string {
  const lost = [counted(applications, 'application', 'applications'), ...(withOwned ? [ownedText(owned)] : [])];
  return [
    `Delete ${who} for good, with ${lost.filter((part) => part !== '').join(', ')}?`,
    `Their ${counted(messages, 'message', 'messages')} ${withMessages ? 'will be deleted, too' : 'will stay'}.`,
  ].join('\n');
}

/** For example “2 servers, 1 team”. Empty if they own nothing. */
function ownedText({ servers, teams, boxes }: Pick<Figures, 'servers' | 'teams' | 'boxes'>): string {
  const parts = [
    servers > 0 && counted(servers, 'server', 'servers'),
    teams > 0 && counted(teams, 'team', 'teams'),
    boxes > 0 && counted(boxes, 'box', 'boxes'),
  ];
  return parts.filter((part) => part !== false).join(', ');
}

function counted(count: number, one: string, more: string): string {
  return `${count} ${count === 1 ? one : more}`;
}
