import type { Command } from 'commander';
import { examples } from '../examples.js';
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
  applications: number;
  boxes: number;
}

const FIGURES = 'query ($id: ID!) { instance { person(id: $id) { figures { messages servers applications boxes } } } }';

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
        await confirmed(options, planOf(`${name} (${id})`, instance.person.figures, { withMessages, withOwned }));
        await askInstance(options, DELETE, { personId: id, reason, withMessages, withOwned });
        print(options, { personId: id }, `Deleted ${name} (${id}). A job removes what they left.`);
      }),
    );
}

function planOf(
  who: string,
  { messages, servers, applications, boxes }: Figures,
  { withMessages, withOwned }: { withMessages: boolean; withOwned: boolean },
): string {
  const owned = [`${applications} applications`, ...(withOwned ? [`${servers} servers`, `${boxes} boxes`] : [])];
  return [
    `Delete ${who} for good, with ${owned.join(', ')}${withOwned ? ' and their teams' : ''}?`,
    withMessages ? `Their ${messages} messages are deleted, too.` : `Their ${messages} messages stay.`,
  ].join('\n');
}
