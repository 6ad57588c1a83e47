import type { Command } from 'commander';
import { examples } from '../examples.js';
import { type ActOptions, type ConfirmedOptions, confirmed, run, withReason, withYes } from './act.js';
import { askInstance, withInstance } from './connection.js';
import { findBox } from './find.js';
import { type Connection, clean, PAGE_INFO, type PageOptions, print, printPage, time, withPage } from './output.js';

interface Box {
  id: string;
  name: string;
  owner: { id: string; username: string };
  status: string;
  lastSeenAt: string | null;
  serverNames: string[];
}

const BOX = 'id name owner { id username } status lastSeenAt protocolVersion serverNames';

export function addBoxesCommand(admin: Command): void {
  const boxes = admin
    .command('boxes')
    .summary('list and disconnect boxes')
    .description('Lists boxes, and disconnects them.')
    .addHelpText('after', examples(['causeway admin boxes list', 'list boxes, with their servers']));
  addListCommand(boxes);
  addDisconnectCommand(boxes);
}

const LIST = `query ($first: Int, $after: String, $search: String) { instance {
  boxes(first: $first, after: $after, search: $search) { edges { node { ${BOX} } } ${PAGE_INFO} }
} }`;

function addListCommand(boxes: Command): void {
  withPage(withInstance(boxes.command('list')))
    .description('Lists boxes, oldest first.')
    .option('--search <text>', 'part of a name, or an ID')
    .addHelpText('after', examples(['causeway admin boxes list --search attic', 'find boxes']))
    .action((options: PageOptions & { search?: string }) =>
      run(async () => {
        const { limit: first, after, search } = options;
        const { instance } = await askInstance<{ instance: { boxes: Connection<Box> } }>(options, LIST, {
          first,
          after,
          search,
        });
        printPage(options, instance.boxes, {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          OWNER: ({ owner }) => owner.username,
          STATUS: ({ status }) => status.toLowerCase(),
          'LAST SEEN': ({ lastSeenAt }) => time(lastSeenAt),
          SERVERS: ({ serverNames }) => serverNames.join(', '),
        });
      }),
    );
}

const DISCONNECT = `mutation ($input: OperatorDisconnectBoxInput!) {
  operatorDisconnectBox(input: $input) { box { ${BOX} } }
}`;

function addDisconnectCommand(boxes: Command): void {
  withYes(withReason(withInstance(boxes.command('disconnect'))))
    .description('Cuts the connection of a box, and invalidates its key until its owner enrols it again.')
    .argument('<box>', 'ID, or a name that only one box has')
    .addHelpText('after', examples(['causeway admin boxes disconnect attic --reason "stolen"', 'disconnect a box']))
    .action((given: string, options: ActOptions & ConfirmedOptions) =>
      run(async () => {
        const { id, name } = await findBox(options, given);
        const box = `${clean(name)} (${id})`;
        await confirmed(options, `Disconnect ${box}? Its servers are unavailable until its owner enrols it again.`);
        const input = { boxId: id, reason: options.reason };
        const data = await askInstance<{ operatorDisconnectBox: unknown }>(options, DISCONNECT, { input });
        print(options, data.operatorDisconnectBox, `Disconnected ${box}.`);
      }),
    );
}
