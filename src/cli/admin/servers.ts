import type { Command } from 'commander';
import { examples } from '../examples.js';
import { type ActOptions, type ConfirmedOptions, confirmed, run, withReason, withYes } from './act.js';
import { type AdminOptions, askInstance, withInstance } from './connection.js';
import { findPerson, findServer } from './find.js';
import {
  type Connection,
  clean,
  details,
  PAGE_INFO,
  type PageOptions,
  print,
  printPage,
  time,
  withPage,
} from './output.js';

interface Server {
  id: string;
  name: string;
  owner: { id: string; username: string };
  memberCount: number;
  createdAt: string;
}

interface ServerWithFigures extends Server {
  figures: { messages: number; channels: number };
}

const SERVER = 'id name owner { id username } memberCount createdAt';

const SERVER_ARGUMENT = ['<server>', 'ID, or a name that only one server has'] as const;

export function addServersCommand(admin: Command): void {
  const servers = admin
    .command('servers')
    .summary('list, hand over and delete servers')
    .description('Lists servers, and acts on them. Servers on boxes are not among them.')
    .addHelpText(
      'after',
      examples(
        ['causeway admin servers list --owner ada', 'list the servers of ada'],
        ['causeway admin servers transfer Harbour --to bob --reason "ada left"', 'hand a server over'],
      ),
    );
  addListCommand(servers);
  addShowCommand(servers);
  addTransferCommand(servers);
  addDeleteCommand(servers);
}

interface ListOptions extends PageOptions {
  search?: string;
  owner?: string;
}

const LIST = `query ($first: Int, $after: String, $search: String, $ownerId: ID) { instance {
  servers(first: $first, after: $after, search: $search, ownerId: $ownerId) {
    edges { node { ${SERVER} } } ${PAGE_INFO}
  }
} }`;

function addListCommand(servers: Command): void {
  withPage(withInstance(servers.command('list')))
    .description('Lists servers, oldest first.')
    .option('--search <text>', 'part of a name, or an ID')
    .option('--owner <person>', 'servers of this person only: ID, username or email address')
    .addHelpText('after', examples(['causeway admin servers list --search harbour', 'find servers']))
    .action((options: ListOptions) =>
      run(async () => {
        const { limit: first, after, search, owner } = options;
        const ownerId = owner === undefined ? undefined : (await findPerson(options, owner)).id;
        const variables = { first, after, search, ownerId };
        const { instance } = await askInstance<{ instance: { servers: Connection<Server> } }>(options, LIST, variables);
        printPage(options, instance.servers, {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          OWNER: ({ owner: { username } }) => username,
          MEMBERS: ({ memberCount }) => memberCount,
          CREATED: ({ createdAt }) => time(createdAt),
        });
      }),
    );
}

const SHOW = `query ($id: ID!) { instance { server(id: $id) { ${SERVER} figures { messages channels } } } }`;

function addShowCommand(servers: Command): void {
  withInstance(servers.command('show'))
    .description('Shows a server, with numbers and without messages.')
    .argument(...SERVER_ARGUMENT)
    .addHelpText('after', examples(['causeway admin servers show Harbour', 'show a server']))
    .action((given: string, options: AdminOptions) =>
      run(async () => {
        const server = await load(options, given);
        const { id, name, owner, memberCount, createdAt, figures } = server;
        const text = details({
          ID: id,
          Name: name,
          Owner: `${owner.username} (${owner.id})`,
          Created: time(createdAt),
          Members: memberCount,
          Channels: figures.channels,
          Messages: figures.messages,
        });
        print(options, server, text);
      }),
    );
}

async function load(options: AdminOptions, given: string): Promise<ServerWithFigures> {
  const { id } = await findServer(options, given);
  const { instance } = await askInstance<{ instance: { server: ServerWithFigures } }>(options, SHOW, { id });
  return instance.server;
}

interface TransferOptions extends ActOptions, ConfirmedOptions {
  to: string;
}

const TRANSFER = `mutation ($input: OperatorTransferServerInput!) {
  operatorTransferServer(input: $input) { server { ${SERVER} } }
}`;

function addTransferCommand(servers: Command): void {
  withYes(withReason(withInstance(servers.command('transfer'))))
    .description('Makes another member the owner of a server. The former owner stays a member.')
    .argument(...SERVER_ARGUMENT)
    .requiredOption('--to <person>', 'the new owner: ID, username or email address')
    .addHelpText(
      'after',
      examples(['causeway admin servers transfer Harbour --to bob --reason "ada left"', 'make bob the owner']),
    )
    .action((given: string, options: TransferOptions) =>
      run(async () => {
        const { id, name, owner } = await load(options, given);
        const next = await findPerson(options, options.to);
        const [server, former] = [`${clean(name)} (${id})`, clean(owner.username)];
        await confirmed(options, `Make ${next.name} (${next.id}) the owner of ${server}, instead of ${former}?`);
        const input = { guildId: id, ownerId: next.id, reason: options.reason };
        const data = await askInstance<{ operatorTransferServer: unknown }>(options, TRANSFER, { input });
        print(options, data.operatorTransferServer, `${next.name} owns ${server} now.`);
      }),
    );
}

const DELETE = 'mutation ($input: OperatorServerInput!) { operatorDeleteServer(input: $input) { id } }';

function addDeleteCommand(servers: Command): void {
  withYes(withReason(withInstance(servers.command('delete'))))
    .description('Deletes a server with all its channels and messages, for good.')
    .argument(...SERVER_ARGUMENT)
    .addHelpText('after', examples(['causeway admin servers delete Harbour --reason spam', 'delete a server']))
    .action((given: string, options: ActOptions & ConfirmedOptions) =>
      run(async () => {
        const { id, name, owner, memberCount, figures } = await load(options, given);
        const server = `${clean(name)} (${id})`;
        await confirmed(
          options,
          [
            `Delete ${server} of ${clean(owner.username)} for good,`,
            `with ${figures.messages} messages in ${figures.channels} channels and ${memberCount} members?`,
          ].join(' '),
        );
        const input = { guildId: id, reason: options.reason };
        const data = await askInstance<{ operatorDeleteServer: unknown }>(options, DELETE, { input });
        print(options, data.operatorDeleteServer, `Deleted ${server}. A job removes its contents.`);
      }),
    );
}
