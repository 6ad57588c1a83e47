import { useNavigate } from '@tanstack/react-router';
import { endHere } from '../../ended.js';
import { DeleteApplicationDocument } from '../../gql/applications/danger.js';
import { Danger, useAction } from '../../ui/action.js';
import { say } from '../../ui/toasts.js';
import { useApplication } from './application.js';

export function DeleteApplication({ onClose }: { onClose: () => void }) {
  const { id, name, serverCount } = useApplication();
  const navigate = useNavigate();
  const { run, isBusy, problem } = useAction(DeleteApplicationDocument, { isQuiet: true });
  const onDo = async (typed: string) => {
    const done = await endHere(id, () => run({ input: { applicationId: id, name: typed } }));
    if (!done) return;
    onClose();
    say(`Deleted ${name}`);
    void navigate({ to: '/applications', ignoreBlocker: true });
  };
  return (
    <Danger
      title={`Delete ${name}?`}
      doIt="Delete application"
      typed={{ name, label: "Type the application's name" }}
      {...{ onDo, onClose, isBusy, problem }}
    >
      <p>This can't be undone. Deleting this application immediately:</p>
      <ul>
        <li>removes the bot from every server (currently {serverCount}) and closes its gateway sessions</li>
        <li>revokes its bot token, client secret and all OAuth2 tokens</li>
        <li>deletes its commands, emoji, webhooks, testers and installations</li>
      </ul>
      <p>Messages from the bot remain, under its name.</p>
    </Danger>
  );
}
