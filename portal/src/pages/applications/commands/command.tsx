import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useClient } from 'urql';
import {
  DeleteCommandDocument,
  OverwriteCommandsDocument,
  UpdateCommandDocument,
} from '../../../gql/applications/commands/commands.js';
import type { CommandRowFragment } from '../../../gql/types.js';
import { Danger, useAction } from '../../../ui/action.js';
import { Copyable } from '../../../ui/copy.js';
import { NotFound, Unshown } from '../../../ui/endings.js';
import { Skeleton } from '../../../ui/listing.js';
import { Name, useTitle } from '../../../ui/page.js';
import { Question } from '../../../ui/question.js';
import { useApplication } from '../application.js';
import { useReason } from '../reasons.js';
import { type Body, bodyOf } from './command-body.js';
import { CommandEditor } from './command-editor.js';
import { WhoMayRun } from './command-grants.js';
import { Installed, searchOf, useCommands, useServer } from './command-scope.js';
import { type LostGrants, WhatIsLost } from './lost-grants.js';
import { CommandCard } from './new-command.js';
import './commands.css';

export function Command() {
  return (
    <Installed>
      <Found />
    </Installed>
  );
}

function Found() {
  const { commandId } = useParams({ from: '/frame/applications/$applicationId/commands/$commandId' });
  const { commands, error, isBusy } = useCommands(useServer());
  const command = commands?.find(({ id }) => id === commandId);
  if (command) return <OneCommand key={commandId} command={command} />;
  if (error) return <Unshown error={error} isPart />;
  return commands && !isBusy ? <NotFound isPart /> : <Skeleton />;
}

function OneCommand({ command }: { command: CommandRowFragment }) {
  const application = useApplication();
  const server = useServer();
  const { name, reserved } = command;
  useTitle(name, 'Commands', application.name);
  const readOnly = useReason('MANAGE_COMMANDS');
  const { save, question } = useSave(command);
  return (
    <CommandCard title={<Name>{name}</Name>}>
      {reserved && (
        <p className="notice">
          A built-in command now has this name. This command is hidden from the picker and can't be run. Rename it to
          use it again.
        </p>
      )}
      <CommandEditor live={bodyOf(command)} isRegistered isOfServer={server !== null} readOnly={readOnly} save={save} />
      {question}
      <WhoMayRun commandId={command.id} />
      <div className="ends">
        <Copyable label="Command ID" text={command.id} />
        <Copyable label="Version" text={command.version} />
        <DeleteCommand command={command} isOff={readOnly !== undefined} />
      </div>
    </CommandCard>
  );
}

/** Asks first if a rename deletes permissions that servers granted. */
function useSave({ id: commandId, type, name }: CommandRowFragment) {
  const client = useClient();
  const { id: applicationId } = useApplication();
  const { ask, question } = useQuestion();
  const grantsOf = useGrants();
  const save = async (changes: Partial<Body>) => {
    if (changes.name !== undefined) {
      const grants = await grantsOf({ type, name });
      if (!(await ask({ name, next: changes.name, grants }))) return undefined;
    }
    return client
      .mutation(UpdateCommandDocument, { input: { applicationId, commandId, command: changes } })
      .toPromise();
  };
  return { save, question };
}

/** A dry run that deletes all commands returns their permission grants. */
function useGrants() {
  const client = useClient();
  const { id: applicationId } = useApplication();
  const guildId = useServer();
  return async ({ type, name }: Pick<CommandRowFragment, 'type' | 'name'>): Promise<LostGrants | null> => {
    const input = { applicationId, guildId, commands: [], dryRun: true };
    const { data } = await client.mutation(OverwriteCommandsDocument, { input }).toPromise();
    return data?.overwriteCommands.plan.find((one) => one.type === type && one.name === name) ?? null;
  };
}

interface Renaming {
  name: string;
  next: string;
  grants: LostGrants | null;
}

function useQuestion() {
  const [asked, setAsked] = useState<(Renaming & { answer: (isWanted: boolean) => void }) | null>(null);
  const ask = (renaming: Renaming) =>
    new Promise<boolean>((resolve) =>
      setAsked({
        ...renaming,
        answer: (isWanted) => {
          setAsked(null);
          resolve(isWanted);
        },
      }),
    );
  const question: ReactNode = asked && (
    <Question
      title={`Rename ${asked.name} to ${asked.next}?`}
      safe="Cancel"
      onSafe={() => asked.answer(false)}
      action={
        <button type="button" className="bad" onClick={() => asked.answer(true)}>
          Rename command
        </button>
      }
    >
      <p>
        <WhatIsLost lost={asked.grants} /> The old name will stop working.
      </p>
    </Question>
  );
  return { ask, question };
}

function DeleteCommand({ command, isOff }: { command: CommandRowFragment; isOff: boolean }) {
  const [grants, setGrants] = useState<{ lost: LostGrants | null } | null>(null);
  const grantsOf = useGrants();
  const open = async () => setGrants({ lost: await grantsOf(command) });
  return (
    <>
      <button type="button" className="bad" disabled={isOff} onClick={() => void open()}>
        Delete command
      </button>
      {grants && <DeleteQuestion command={command} grants={grants.lost} onClose={() => setGrants(null)} />}
    </>
  );
}

interface DeleteQuestionProps {
  command: CommandRowFragment;
  grants: LostGrants | null;
  onClose: () => void;
}

function DeleteQuestion({ command: { id: commandId, name }, grants, onClose }: DeleteQuestionProps) {
  const { id: applicationId } = useApplication();
  const server = useServer();
  const navigate = useNavigate();
  const { run, isBusy, problem } = useAction(DeleteCommandDocument, { isQuiet: true });
  const remove = async () => {
    if (!(await run({ input: { applicationId, commandId } }))) return;
    void navigate({
      to: '/applications/$applicationId/commands',
      params: { applicationId },
      search: searchOf(server),
      ignoreBlocker: true,
    });
  };
  return (
    <Danger
      title={`Delete the command ${name}?`}
      doIt="Delete command"
      onDo={() => void remove()}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
    >
      <p>
        This can't be undone. <WhatIsLost lost={grants} /> A new command with the same name starts without permissions.
      </p>
    </Danger>
  );
}
