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
    say(`${name} is deleted`);
    void navigate({ to: '/applications', ignoreBlocker: true });
  };
  return (
    <Danger
      title={`Delete ${name}?`}
      doIt="Delete application"
      typed={{ name, label: "Type the application's name" }}
      {...{ onDo, onClose, isBusy, problem }}
    >
      <p>This cannot be undone. At once:</p>
      <ul>
        <li>the bot leaves every server ({serverCount} at the moment), and its gateway sessions end</li>
        <li>bot token, client secret and all OAuth2 tokens stop working</li>
        <li>its commands, emoji, webhooks, testers and installations are gone</li>
      </ul>
      <p>What the bot wrote stays where it is, under its name.</p>
    </Danger>
  );
}
