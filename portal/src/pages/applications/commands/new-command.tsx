import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useClient } from 'urql';
import { CreateCommandDocument } from '../../../gql/applications/commands/commands.js';
import { useTitle } from '../../../ui/page.js';
import { useApplication } from '../application.js';
import { useReason } from '../reasons.js';
import { type Body, NEW_BODY, said } from './command-body.js';
import { CommandEditor } from './command-editor.js';
import { Installed, searchOf, useScopeText, useServer } from './command-scope.js';
import './commands.css';

export function NewCommand() {
  const application = useApplication();
  const server = useServer();
  useTitle('New command', application.name);
  const register = useRegister(server);
  return (
    <CommandCard title="New command">
      <CommandEditor
        live={NEW_BODY}
        isRegistered={false}
        isOfServer={server !== null}
        readOnly={useReason('MANAGE_COMMANDS')}
        save={(_changes, whole) => register(whole)}
      />
    </CommandCard>
  );
}

function useRegister(guildId: string | null) {
  const client = useClient();
  const navigate = useNavigate();
  const { id: applicationId } = useApplication();
  return async (body: Body) => {
    const input = { applicationId, guildId, command: said(body) };
    const answer = await client.mutation(CreateCommandDocument, { input, guildId }).toPromise();
    if (answer.data)
      void navigate({
        to: '/applications/$applicationId/commands/$commandId',
        params: { applicationId, commandId: answer.data.createCommand.command.id },
        search: searchOf(guildId),
        ignoreBlocker: true,
      });
    return answer;
  };
}

export function CommandCard({ title, children }: { title: ReactNode; children: ReactNode }) {
  const { id: applicationId } = useApplication();
  const server = useServer();
  const scope = useScopeText();
  return (
    <>
      <p>
        <Link to="/applications/$applicationId/commands" params={{ applicationId }} search={searchOf(server)}>
          All commands
        </Link>
      </p>
      <section className="card" aria-labelledby="command">
        <h2 id="command">
          {title} <span className="soft small">{scope}</span>
        </h2>
        <Installed>{children}</Installed>
      </section>
    </>
  );
}
