import { useState } from 'react';
import type { AskedList } from '../asked.js';
import { lazyDialog } from '../ui/lazy-dialog.js';

const AsGraphql = lazyDialog(() => import('./as-graphql.js'));

export function AsGraphqlButton({ asked }: { asked: AskedList }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link small" onClick={() => setOpen(true)}>
        View as GraphQL
      </button>
      {isOpen && <AsGraphql asked={asked} onClose={() => setOpen(false)} />}
    </>
  );
}
