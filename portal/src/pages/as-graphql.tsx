import { useState } from 'react';
import type { Asked, AskedList } from '../asked.js';
import { OpenDialog } from '../ui/dialog.js';
import { DialogEnd } from '../ui/dialog-buttons.js';
import { Snippet } from '../ui/snippet.js';

interface AsGraphqlProps {
  asked: AskedList;
  onClose: () => void;
}

/** Shows the portal's latest operations as examples for API clients. */
export default function AsGraphql({ asked, onClose }: AsGraphqlProps) {
  const [documents] = useState(() => asked.read());
  return (
    <OpenDialog title="View as GraphQL" onClose={onClose} isPassing>
      <p className="soft">
        The portal's most recent operations, newest first. To run one from your own code, send it to{' '}
        <code>POST /graphql</code> with a session token in <code>authorization: Bearer …</code>.
      </p>
      <ul className="list" aria-label="Operations">
        {documents.map((one) => (
          <OneDocument key={one.key} asked={one} />
        ))}
      </ul>
      <DialogEnd text="Close" />
    </OpenDialog>
  );
}

function OneDocument({ asked: { kind, name, text, variables } }: { asked: Asked }) {
  return (
    <li>
      <details>
        <summary>
          {kind} {name}
        </summary>
        <Snippet title="Document" text={text} what={name} />
        {variables !== '' && <Snippet title="Variables" text={variables} what={`variables of ${name}`} />}
        <p className="actions">
          <a href={graphiqlAddress(text, variables)} target="_blank" rel="noreferrer">
            Open in GraphiQL
          </a>
        </p>
      </details>
    </li>
  );
}

function graphiqlAddress(query: string, variables: string): string {
  return `/graphql?${new URLSearchParams({ query })}#${new URLSearchParams({ variables })}`;
}
