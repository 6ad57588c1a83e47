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
        if (!withOwned && figures.servers + figures.teams + figures.boxes > 0)
          throw new Failure(`${name} owns ${ownedText(figures)}; hand them over first, or pass --with-owned`);
        await confirmed(options, planOf(`${name} (${id})`, figures, { withMessages, withOwned }));
        await askInstance(options, DELETE, { personId: id, reason, withMessages, withOwned });
        print(options, { personId: id }, `Deleted ${name} (${id}). A job removes what they left.`);
      }),
    );
}

function planOf(
  who: string,
  { messages, applications, ...owned }: Figures,
  { withMessages, withOwned }: { withMessages: boolean; withOwned: boolean },
): string {
  return [
    `Delete ${who} for good, with ${applications} applications${withOwned ? `, ${ownedText(owned)}` : ''}?`,
    withMessages ? `Their ${messages} messages are deleted, too.` : `Their ${messages} messages stay.`,
  ].join('\n');
}

const ownedText = ({ servers, teams, boxes }: Pick<Figures, 'servers' | 'teams' | 'boxes'>) =>
  `${servers} servers, ${teams} teams and ${boxes} boxes`;
