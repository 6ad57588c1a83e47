import { useState } from 'react';
import { GuildParityDocument } from '../../../gql/servers/roles/parity.js';
import type { GuildParityQuery } from '../../../gql/types.js';
import { useQuery } from '../../../query.js';
import { TextField } from '../../../ui/field.js';
import { Awaited } from '../../../ui/listing.js';
import { useTitle } from '../../../ui/page.js';
import { useServer } from '../server.js';
import './roles.css';

type Row = NonNullable<GuildParityQuery['guild']>['parity'][number];

export function Parity() {
  const { id, name } = useServer();
  useTitle('Parity', name);
  const [text, setText] = useState('');
  const answer = useQuery({ query: GuildParityDocument, variables: { id } });
  const rows = answer.data?.guild?.parity;
  if (!rows) return <Awaited answer={answer} />;
  const shown = rows.filter((row) =>
    `${row.method} ${row.path} ${row.outcome}`.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <section className="card">
      <h2>Parity</h2>
      {rows.length === 0 && <p className="hint">This server runs in the cloud, where every route works.</p>}
      <TextField
        label="Search"
        hint={`${shown.length} of ${rows.length} routes.`}
        type="search"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th>Route</th>
              <th>Result for cloud bots</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <ParityItem key={`${row.method} ${row.path}`} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function ParityItem({ row: { method, path, outcome, note } }: { row: Row }) {
  return (
    <tr>
      <td>
        <code>
          {method} {path}
        </code>
      </td>
      <td>
        <span className={`badge ${outcome === 'works' ? 'good' : 'warn'}`}>{outcome}</span>
        {note && <p className="soft small">{note}</p>}
      </td>
    </tr>
  );
}
