import { useState } from 'react';
import type { TypedDocumentNode } from 'urql';
import {
  OperatorCreatePasswordLinkDocument,
  OperatorExportPersonDocument,
  OperatorRestorePersonDocument,
  OperatorSignOutPersonDocument,
  OperatorSuspendPersonDocument,
} from '../../gql/instance/people.js';
import type { InstancePersonPageFragment, StartedExportFragment } from '../../gql/types.js';
import { SecretsDialog } from '../../ui/secrets.js';
import { say } from '../../ui/toasts.js';
import { StartedExport, startDownload } from '../account/started-export.js';
import { nameOf } from '../teams/person.js';
import { ActDialog, SuspensionText } from './act-dialog.js';
import { DeletePerson } from './delete-person.js';

type Asked = 'suspend' | 'restore' | 'sign out' | 'link' | 'delete';

interface PersonProps {
  person: InstancePersonPageFragment;
}

export function PersonActions({ person, onDeleted }: PersonProps & { onDeleted: () => void }) {
  const [asked, ask] = useState<Asked | null>(null);
  const close = () => ask(null);
  const isSuspended = person.suspendedAt !== null;
  return (
    <>
      {isSuspended && (
        <div className="danger-row">
          <p>They can sign in again. Personal tokens and sessions do not come back.</p>
          <button type="button" onClick={() => ask('restore')}>
            Restore
          </button>
        </div>
      )}
      <div className="danger-row">
        <p>
          {isSuspended
            ? 'Change what they read when they try to sign in.'
            : "They can't sign in until you restore them. Nothing is removed, and their applications go on."}
        </p>
        <button type="button" className={isSuspended ? 'plain' : 'bad'} onClick={() => ask('suspend')}>
          {isSuspended ? 'Change the text' : 'Suspend'}
        </button>
      </div>
      <div className="danger-row">
        <p>
          End all their sessions, personal tokens and authorizations of applications.
          {!isSuspended && ' They can sign in again at once.'}
        </p>
        <button type="button" className="plain" onClick={() => ask('sign out')}>
          Sign out everywhere
        </button>
      </div>
      <div className="danger-row">
        <p>For someone who can't read their mail any more: a link with which they choose a new password.</p>
        <button type="button" className="plain" onClick={() => ask('link')}>
          Password link
        </button>
      </div>
      <div className="danger-row">
        <p>Their name, account and memberships disappear for good. Their messages stay unless you remove them, too.</p>
        <button type="button" className="bad" onClick={() => ask('delete')}>
          Delete…
        </button>
      </div>
      {asked === 'delete' && <DeletePerson person={person} onDeleted={onDeleted} onClose={close} />}
      {asked === 'suspend' && <Suspend person={person} onClose={close} />}
      {asked === 'restore' && <Restore person={person} onClose={close} />}
      {asked === 'sign out' && <SignOut person={person} onClose={close} />}
      {asked === 'link' && <PasswordLink person={person} onClose={close} />}
    </>
  );
}

/** For operators, about everyone. */
export function ExportData({ person }: PersonProps) {
  const [isAsking, ask] = useState(false);
  const [started, setStarted] = useState<StartedExportFragment | null>(null);
  const name = nameOf(person.user);
  const close = () => ask(false);
  return (
    <>
      <div className="danger-row">
        <p>Download everything that the instance stores about them, for example because they asked for it.</p>
        <button type="button" className="plain" onClick={() => ask(true)}>
          Export data
        </button>
      </div>
      {started && <StartedExport of={started} />}
      {isAsking && (
        <Simple
          person={person}
          title={`Export the data of ${name}?`}
          doIt="Start download"
          document={OperatorExportPersonDocument}
          text="The archive contains private messages and files. Give it only to them, and delete it afterwards."
          onDone={({ operatorExportPerson }) => {
            close();
            setStarted(operatorExportPerson);
            startDownload(operatorExportPerson);
          }}
          onClose={close}
        />
      )}
    </>
  );
}

interface DialogProps extends PersonProps {
  onClose: () => void;
}

function Suspend({ person: { id, user, suspendedAt, suspensionText }, onClose }: DialogProps) {
  const name = nameOf(user);
  const before = suspensionText ?? '';
  const [text, setText] = useState(before);
  const isNew = suspendedAt === null;
  return (
    <ActDialog
      title={isNew ? `Suspend ${name}?` : `Change the text for ${name}?`}
      doIt={isNew ? 'Suspend' : 'Change the text'}
      isBad={isNew}
      document={OperatorSuspendPersonDocument}
      variables={(reason) => ({ input: { personId: id, text, reason } })}
      isChanged={text !== before}
      onDone={() => {
        onClose();
        say(isNew ? `${name} is suspended.` : 'Saved');
      }}
      onClose={onClose}
    >
      {(faults) => (
        <>
          {isNew && (
            <p>
              Their sessions, personal tokens and authorizations of applications end at once. Their applications,
              servers and messages stay.
            </p>
          )}
          <SuspensionText
            label="Text for the person"
            hint="They read it after “Your account is suspended.” when they try to sign in, for example how to reach you."
            value={text}
            fault={faults.text}
            onChange={setText}
          />
        </>
      )}
    </ActDialog>
  );
}

interface SimpleProps<Data> extends DialogProps {
  title: string;
  doIt: string;
  document: TypedDocumentNode<Data, { input: { personId: string; reason: string } }>;
  text: string;
  /** Must close the dialog. */
  onDone: (data: Data) => void;
}

/** An action that needs only a reason. */
function Simple<Data>({ person, text, ...rest }: SimpleProps<Data>) {
  return (
    <ActDialog variables={(reason) => ({ input: { personId: person.id, reason } })} {...rest}>
      {() => <p>{text}</p>}
    </ActDialog>
  );
}

function Restore(props: DialogProps) {
  const name = nameOf(props.person.user);
  return (
    <Simple
      title={`Restore ${name}?`}
      doIt="Restore"
      document={OperatorRestorePersonDocument}
      text="They can sign in again with their password."
      onDone={() => {
        props.onClose();
        say(`${name} can sign in again.`);
      }}
      {...props}
    />
  );
}

function SignOut(props: DialogProps) {
  const name = nameOf(props.person.user);
  return (
    <Simple
      title={`Sign ${name} out everywhere?`}
      doIt="Sign out everywhere"
      document={OperatorSignOutPersonDocument}
      text="Their sessions, personal tokens and authorizations of applications end at once. Tools need new tokens."
      onDone={() => {
        props.onClose();
        say(`${name} is signed out everywhere.`);
      }}
      {...props}
    />
  );
}

function PasswordLink({ person, onClose }: DialogProps) {
  const name = nameOf(person.user);
  const [url, setUrl] = useState<string | null>(null);
  if (url !== null)
    return (
      <SecretsDialog title={`Password link for ${name}`} secrets={[{ label: 'Link', value: url }]} onDone={onClose}>
        <p>It works once, within an hour. Everyone who has it can choose {name}'s password, so give it only to them.</p>
      </SecretsDialog>
    );
  return (
    <Simple
      person={person}
      title={`Create a password link for ${name}?`}
      doIt="Create link"
      document={OperatorCreatePasswordLinkDocument}
      text="Make sure that you give it to the right person. Their password stays the same until they use the link."
      onDone={({ operatorCreatePasswordLink }) => setUrl(operatorCreatePasswordLink.url)}
      onClose={onClose}
    />
  );
}
