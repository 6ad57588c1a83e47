import { useState } from 'react';
import { CreateRoleDocument, SetRolePositionsDocument } from '../../gql/servers/roles.js';
import type { RoleRowFragment } from '../../gql/types.js';
import { useAction } from '../../ui/action.js';
import { useTitle } from '../../ui/page.js';
import { RoleEditor } from './role-editor.js';
import { useLack, useServer } from './server.js';
import './roles.css';

/** The server's roles, the highest first, and the one that is open. */
export function Roles() {
  const { id: guildId, name, roles } = useServer();
  useTitle('Roles', name);
  const lack = useLack('ManageRoles');
  const [openId, open] = useState(guildId);
  const { run, isBusy } = useAction(CreateRoleDocument);
  const opened = roles.find(({ id }) => id === openId);
  const create = async () => {
    const made = await run({ input: { guildId, name: 'New role' } });
    if (made) open(made.createRole.role.id);
  };
  return (
    <>
      <section className="card">
        <div className="heading">
          <h2>Roles</h2>
          <button type="button" disabled={lack !== undefined || isBusy} onClick={create}>
            New role
          </button>
        </div>
        {lack && <p className="hint">{lack}</p>}
        <RoleList openId={openId} onOpen={open} isOff={lack !== undefined} />
      </section>
      {opened && <RoleEditor key={opened.id} role={opened} lack={lack} />}
    </>
  );
}

interface RoleListProps {
  openId: string;
  onOpen: (id: string) => void;
  isOff: boolean;
}

function RoleList({ openId, onOpen, isOff }: RoleListProps) {
  const { id: guildId, roles } = useServer();
  const { run, isBusy } = useAction(SetRolePositionsDocument);
  const move = (role: RoleRowFragment, steps: number) =>
    void run({ input: { guildId, positions: [{ roleId: role.id, position: role.position + steps }] } });
  const highest = Math.max(...roles.map(({ position }) => position));
  return (
    <ol className="list" aria-label="Roles, the highest first">
      {[...roles].reverse().map((role) => (
        <li key={role.id}>
          <RoleName role={role} isOpen={role.id === openId} onOpen={() => onOpen(role.id)} />
          {role.id !== guildId && (
            <div className="row-actions">
              <MoveButton
                text="up"
                role={role}
                isOff={isOff || isBusy || role.position === highest}
                onMove={() => move(role, 1)}
              />
              <MoveButton
                text="down"
                role={role}
                isOff={isOff || isBusy || role.position === 1}
                onMove={() => move(role, -1)}
              />
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

function RoleName({ role, isOpen, onOpen }: { role: RoleRowFragment; isOpen: boolean; onOpen: () => void }) {
  return (
    <div className="role">
      <RoleDot color={role.color} />
      <button type="button" className="link" aria-current={isOpen} onClick={onOpen}>
        <bdi>{role.name}</bdi>
      </button>
      {role.managed && <span className="badge">of an application</span>}
    </div>
  );
}

/** The colour of a role, which says nothing that its name does not. */
function RoleDot({ color }: { color: number }) {
  return (
    <svg className="dot" viewBox="0 0 10 10" aria-hidden="true">
      <circle cx="5" cy="5" r="5" fill={color === 0 ? 'var(--field)' : hexOf(color)} />
    </svg>
  );
}

/** A colour as a field of the browser has it. */
function hexOf(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}

interface MoveButtonProps {
  text: 'up' | 'down';
  role: RoleRowFragment;
  isOff: boolean;
  onMove: () => void;
}

function MoveButton({ text, role, isOff, onMove }: MoveButtonProps) {
  return (
    <button
      type="button"
      className="plain small"
      aria-label={`Move ${role.name} ${text}`}
      disabled={isOff}
      onClick={onMove}
    >
      <span aria-hidden="true">{text === 'up' ? '↑' : '↓'}</span>
    </button>
  );
}
