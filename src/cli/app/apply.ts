import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { confirm } from '../confirm.js';
import { examples } from '../examples.js';
import { exitWith, Failure } from '../failure.js';
import { NoAnswer } from '../remote/graphql.js';
import { type ServerOptions, USAGE_ERROR, withServer } from '../remote/options.js';
import { applicationOf, readValidFile } from './file.js';
import { type Applied, hasChanges, type Plan, planText, sendFile } from './plans.js';
import type { YamlFile } from './yaml-file.js';

interface Options extends ServerOptions {
  yes?: true;
  json?: true;
  webhookUrls?: string;
}

const FOR_THE_OWNER_ONLY = 0o600;

export function addApplyCommand(app: Command): void {
  withServer(app.command('apply'))
    .summary('change the application to what the file says')
    .description(
      'Changes the application to what the file says: everything, or nothing. It refuses if someone else changes the application at the same time.',
    )
    .option('--yes', 'do not ask for confirmation')
    .option('--webhook-urls <path>', 'write the URLs of new webhooks, which are shown only once, to this new file')
    .option('--json', 'print the result as JSON, with the URLs of new webhooks; needs --yes')
    .addHelpText(
      'after',
      examples(
        ['causeway app apply', 'show the plan, ask, and apply it'],
        ['causeway app apply --yes', 'apply it in CI'],
      ),
    )
    .action((options: Options) => exitWith(() => apply(options)));
}

async function apply(options: Options): Promise<number> {
  if (options.json && !options.yes) throw new Failure('--json needs --yes', USAGE_ERROR);
  const file = await readValidFile(options.file);
  const applicationId = applicationOf(options, file);
  const planned = await sendFile(options, applicationId, file, { dryRun: true });
  const { plan, application } = planned;
  if (!hasChanges(plan)) {
    show(options, planned, `No changes: ${application.name} (${application.id}) matches ${options.file}.`);
    return 0;
  }
  if (!options.json) process.stdout.write(`Plan for ${application.name} (${application.id}):\n\n${planText(plan)}\n\n`);
  requirePlaceForUrls(options, plan);
  if (!options.yes && !(await confirm(`Apply these changes to ${application.name}?`, 'the plan')))
    throw new Failure('nothing was applied');
  const { webhookUrls } = options;
  const send = () => sendPlan(options, applicationId, file, plan);
  const isWritten = webhookUrls !== undefined && createsWebhooks(plan);
  const applied = isWritten ? await writeUrls(webhookUrls, send) : await send();
  show(
    options,
    applied,
    [`Applied to ${applied.application.name}.`, ...(isWritten ? [] : urlLines(applied))].join('\n'),
  );
  return 0;
}

/** Makes the file first: URLs that cannot be written would be lost. */
async function writeUrls(path: string, send: () => Promise<Applied>): Promise<Applied> {
  const file = await openForUrls(path);
  try {
    const applied = await send().catch(async (error: unknown) => {
      await rm(path);
      throw error;
    });
    await file.writeFile(`${JSON.stringify(applied.createdWebhooks.map(asUrl), null, 2)}\n`);
    return applied;
  } finally {
    await file.close();
  }
}

function createsWebhooks({ webhooks }: Plan): boolean {
  return webhooks.some(({ change }) => change === 'CREATED');
}

function show({ json }: Options, applied: Applied, text: string): void {
  const { application, plan, createdWebhooks } = applied;
  const result = { application, applied: hasChanges(plan), plan, createdWebhooks: createdWebhooks.map(asUrl) };
  process.stdout.write(`${json ? JSON.stringify(result, null, 2) : text}\n`);
}

/** Logs of CI are no place for secrets. */
function requirePlaceForUrls({ json, webhookUrls }: Options, plan: Plan): void {
  if (json || webhookUrls !== undefined || process.stdout.isTTY) return;
  if (!createsWebhooks(plan)) return;
  const message =
    'the URLs of new webhooks are shown only once, and the output is no terminal; pass --webhook-urls PATH';
  throw new Failure(message, USAGE_ERROR);
}

/** Refuses a file that exists, which may hold the URLs of earlier webhooks. */
async function openForUrls(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', FOR_THE_OWNER_ONLY);
  } catch (error) {
    throw new Failure(
      `${path} cannot be written, so nothing was applied: ${error instanceof Error ? error.message : error}`,
    );
  }
}

async function sendPlan(options: Options, applicationId: string, file: YamlFile, plan: Plan): Promise<Applied> {
  try {
    return await sendFile(options, applicationId, file, { planDigest: plan.digest });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new Failure(`${error.message}. The plan may have been applied; run \`causeway app plan\` to see`);
  }
}

function asUrl({ url, webhook }: Applied['createdWebhooks'][number]) {
  return { ...webhook, url };
}

function urlLines({ createdWebhooks }: Applied): string[] {
  if (createdWebhooks.length === 0) return [];
  const lines = createdWebhooks.map(({ url, webhook }) => `  ${webhook.name}: ${url}`);
  return ['', 'Store the URLs of the new webhooks now. You cannot see them again:', ...lines];
}
