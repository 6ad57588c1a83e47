import type { Command } from 'commander';
import { examples } from '../examples.js';
import { type ActOptions, type ConfirmedOptions, confirmed, run, withReason, withYes } from './act.js';
import { type AdminOptions, askInstance, withInstance } from './connection.js';
import { findApplication, findPerson } from './find.js';
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

interface Application {
  id: string;
  name: string;
  description: string;
  ownerUser: { id: string; username: string } | null;
  ownerTeamName: string | null;
  createdAt: string;
  suspendedAt: string | null;
  suspensionText: string | null;
}

interface ApplicationWithCount extends Application {
  serverCount: number;
}

const APPLICATION = 'id name description ownerUser { id username } ownerTeamName createdAt suspendedAt suspensionText';

const APPLICATION_ARGUMENT = ['<application>', 'ID, or a name that only one application has'] as const;

export function addApplicationsCommand(admin: Command): void {
  const applications = admin
    .command('applications')
    .summary('list, suspend and restore applications')
    .description('Lists applications, and acts on them.')
    .addHelpText(
      'after',
      examples(['causeway admin applications suspend Otter --reason "leaked token"', 'stop an application']),
    );
  addListCommand(applications);
  addShowCommand(applications);
  addSuspendCommand(applications);
  addRestoreCommand(applications);
}

function ownerOf({ ownerUser, ownerTeamName }: Application): string | null {
  return ownerUser?.username ?? ownerTeamName;
}

interface ListOptions extends PageOptions {
  search?: string;
  suspended?: true;
  owner?: string;
}

const LIST = `query ($first: Int, $after: String, $search: String, $suspended: Boolean, $ownerId: ID) { instance {
  applications(first: $first, after: $after, search: $search, suspended: $suspended, ownerId: $ownerId) {
    edges { node { ${APPLICATION} } } ${PAGE_INFO}
  }
} }`;

function addListCommand(applications: Command): void {
  withPage(withInstance(applications.command('list')))
    .description('Lists applications, oldest first.')
    .option('--search <text>', 'part of a name, or an ID')
    .option('--suspended', 'suspended applications only')
    .option('--owner <person>', 'applications of this person only: ID, username or email address')
    .addHelpText('after', examples(['causeway admin applications list --suspended', 'list suspended applications']))
    .action((options: ListOptions) =>
      run(async () => {
        const { limit: first, after, search, suspended, owner } = options;
        const ownerId = owner === undefined ? undefined : (await findPerson(options, owner)).id;
        const { instance } = await askInstance<{ instance: { applications: Connection<Application> } }>(options, LIST, {
          first,
          after,
          search,
          suspended,
          ownerId,
        });
        printPage(options, instance.applications, {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          OWNER: ownerOf,
          CREATED: ({ createdAt }) => time(createdAt),
          STATE: ({ suspendedAt }) => suspendedAt && 'suspended',
        });
      }),
    );
}

const SHOW = `query ($id: ID!) { instance { application(id: $id) { ${APPLICATION} serverCount } } }`;

function addShowCommand(applications: Command): void {
  withInstance(applications.command('show'))
    .description('Shows an application.')
    .argument(...APPLICATION_ARGUMENT)
    .addHelpText('after', examples(['causeway admin applications show Otter', 'show an application']))
    .action((given: string, options: AdminOptions) =>
      run(async () => {
        const application = await load(options, given);
        const text = details({
          ID: application.id,
          Name: application.name,
          Description: application.description,
          Owner: ownerOf(application),
          Created: time(application.createdAt),
          Servers: application.serverCount,
          Suspended: time(application.suspendedAt),
          'Text for developers': application.suspensionText,
        });
        print(options, application, text);
      }),
    );
}

async function load(options: AdminOptions, given: string): Promise<ApplicationWithCount> {
  const { id } = await findApplication(options, given);
  const { instance } = await askInstance<{ instance: { application: ApplicationWithCount } }>(options, SHOW, { id });
  return instance.application;
}

interface SuspendOptions extends ActOptions, ConfirmedOptions {
  text?: string;
}

const SUSPEND = `mutation ($input: OperatorSuspendApplicationInput!) {
  operatorSuspendApplication(input: $input) { application { ${APPLICATION} } }
}`;

function addSuspendCommand(applications: Command): void {
  withYes(withReason(withInstance(applications.command('suspend'))))
    .description('Stops an application: its tokens, webhooks, interactions and gateway sessions. Nothing is removed.')
    .argument(...APPLICATION_ARGUMENT)
    .option('--text <text>', 'what its developers read')
    .addHelpText(
      'after',
      examples(['causeway admin applications suspend Otter --reason "leaked token"', 'stop an application']),
    )
    .action((given: string, options: SuspendOptions) =>
      run(async () => {
        const { id, name, serverCount } = await load(options, given);
        const application = `${clean(name)} (${id})`;
        await confirmed(options, `Suspend ${application}? It stops at once, in ${serverCount} servers.`);
        const input = { applicationId: id, reason: options.reason, text: options.text };
        const data = await askInstance<{ operatorSuspendApplication: unknown }>(options, SUSPEND, { input });
        print(options, data.operatorSuspendApplication, `Suspended ${application}.`);
      }),
    );
}

const RESTORE = `mutation ($input: OperatorApplicationInput!) {
  operatorRestoreApplication(input: $input) { application { ${APPLICATION} } }
}`;

function addRestoreCommand(applications: Command): void {
  withReason(withInstance(applications.command('restore')))
    .description('Ends the suspension of an application. Its tokens are valid again.')
    .argument(...APPLICATION_ARGUMENT)
    .addHelpText('after', examples(['causeway admin applications restore Otter --reason fixed', 'restore it']))
    .action((given: string, options: ActOptions) =>
      run(async () => {
        const { id, name } = await findApplication(options, given);
        const input = { applicationId: id, reason: options.reason };
        const data = await askInstance<{ operatorRestoreApplication: unknown }>(options, RESTORE, { input });
        print(options, data.operatorRestoreApplication, `Restored ${clean(name)} (${id}).`);
      }),
    );
}
