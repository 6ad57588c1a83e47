import { avatarEntry, profileEntry } from './account.js';
import { applicationsEntry, grantsEntry, installationsEntry, interactionsEntry } from './applications.js';
import { type ExportEntry, type ExportSource, textEntry } from './entries.js';
import { auditLogEntry, reactionsEntry, remindersEntry } from './logs.js';
import { givenFileEntries, messageEntries } from './messages.js';
import { boxesEntry, directChannelsEntry, serversEntry, teamsEntry } from './places.js';

const README = [
  'profile.json          account, sessions and personal tokens, without secrets',
  'avatar.png            avatar, if there is one',
  'servers.json          servers with the account as a member, also those that it owns',
  'direct-channels.json  direct channels, and with whom',
  'messages/             own messages, one file for each channel, oldest first',
  'files/                own files: files/CHANNEL/ID-NAME of messages,',
  '                      files/interactions/ID/ID-NAME of commands and forms',
  'applications.json     applications that the account owns, without those of teams',
  'teams.json            teams',
  'grants.json           applications that may act for the account',
  'installations.json    applications that it installed',
  'interactions.jsonl    commands, buttons and forms that it used',
  'reactions.jsonl       reactions',
  'audit-log.jsonl       audit entries by the account or about it',
  'boxes.json            boxes',
  'reminders.json        reminders that are not due yet',
  'missing-files.txt     files that could not be found, if any',
  '',
  'Files that end with .jsonl have one JSON object in each line. Times are in UTC.',
  'Messages in servers on boxes are stored on the boxes, so they are not in this archive.',
  '',
].join('\n');

function titleOf({ userId, publicUrl, startedAt }: ExportSource): string {
  return `Data that ${publicUrl} stored about the account ${userId} on ${startedAt.toISOString().slice(0, 10)}.`;
}

/** The entries of a person's archive. Each must be read before the next is requested. */
export async function* exportEntries(source: ExportSource): AsyncGenerator<ExportEntry> {
  const missing: string[] = [];
  yield textEntry('README.txt', `${titleOf(source)}\n\n${README}`);
  yield await profileEntry(source);
  const avatar = await avatarEntry(source);
  if (avatar) yield avatar;
  for (const entry of SECTIONS) yield entry(source);
  yield* messageEntries(source, missing);
  yield* givenFileEntries(source, missing);
  if (missing.length > 0) yield textEntry('missing-files.txt', `${missing.join('\n')}\n`);
}

const SECTIONS: readonly ((source: ExportSource) => ExportEntry)[] = [
  serversEntry,
  directChannelsEntry,
  applicationsEntry,
  teamsEntry,
  grantsEntry,
  installationsEntry,
  interactionsEntry,
  reactionsEntry,
  auditLogEntry,
  boxesEntry,
  remindersEntry,
];
