import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { BoxParityDocument } from '../../gql/boxes/boxes.js';
import { useQuery } from '../../query.js';
import { TextField } from '../../ui/field.js';
import { Awaited } from '../../ui/listing.js';
import { Name } from '../../ui/page.js';

/** Loads its data when opened. */
export function Parity({ guildId, name }: { guildId: string; name: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <p>
        <Link to="/servers/$guildId" params={{ guildId }}>
          <Name>{name}</Name>
        </Link>
      </p>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          Bot API support on <Name>{name}</Name>
        </summary>
        {isOpen && <Rows guildId={guildId} />}
      </details>
    </>
  );
}

function Rows({ guildId }: { guildId: string }) {
  const answer = useQuery({ query: BoxParityDocument, variables: { guildId } });
  const { data } = answer;
  const [search, setSearch] = useState('');
  if (!data) return <Awaited answer={answer} lines={2} />;
  const rows = (data.guild?.parity ?? []).filter(({ method, path }) =>
    `${method} ${path}`.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    <>
      <TextField
        label="Search"
        type="search"
        value={search}
        hint={rows.length === 1 ? '1 route' : `${rows.length} routes`}
        onChange={({ target }) => setSearch(target.value)}
      />
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Route</th>
              <th scope="col">Outcome</th>
              <th scope="col">Note</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ method, path, outcome, note }) => (
              <tr key={`${method} ${path}`}>
                <td>
                  <code>
                    {method} {path}
                  </code>
                </td>
                <td>
                  <span className={outcome === 'works' ? 'badge good' : 'badge warn'}>{outcome}</span>
                </td>
                <td className="small">{note}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
