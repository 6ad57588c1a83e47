import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { CreateRoleDocument, SetRolePositionsDocument } from '../../../gql/servers/roles/roles.js';
import type { RoleRowFragment } from '../../../gql/types.js';
import { useAction } from '../../../ui/action.js';
import { NotFound } from '../../../ui/endings.js';
import { TextField } from '../../../ui/field.js';
import { Form } from '../../../ui/form.js';
import { useOff } from '../../../ui/guarded.js';
import { useTitle } from '../../../ui/page.js';
import { useLack, useServer } from '../server.js';
import { useWhyNotRole } from './rights.js';
import { RoleEditor } from './role-editor.js';
import './roles.css';

export function Roles() {
  const { id: guildId } = useServer();
  const lack = useLack('ManageRoles');
  return (
    <>
      <section className="card">
        <div className="heading">
          <h2>Roles</h2>
          {!lack && (
            <Link className="button" to="/servers/$guildId/roles/new" params={{ guildId }}>
              New role
            </Link>
          )}
        </div>
        <RoleList lack={lack} />
      </section>
      <Outlet />
    </>
  );
}

export function EveryoneRole() {
  return <OneRole id={useServer().id} />;
}

export function OpenRole() {
  return <OneRole id={useParams({ from: '/frame/servers/$guildId/roles/$roleId' }).roleId} />;
}

function OneRole({ id }: { id: string }) {
  const role = useServer().roles.find((one) => one.id === id);
  const lack = useWhyNotRole(role, 'UPDATE');
  useTitle(role?.name ?? 'Roles', useServer().name);
  return role ? <RoleEditor key={id} role={role} lack={lack} /> : <NotFound isPart />;
}

export function NewRole() {
  const { id: guildId, name: server } = useServer();
  useTitle('New role', server);
  const navigate = useNavigate();
  const lack = useLack('ManageRoles');
  const [name, setName] = useState('');
  const { run, isBusy, problem } = useAction(CreateRoleDocument, { isQuiet: true });
  const create = async () => {
    const made = await run({ input: { guildId, name } });
    if (!made) return;
    const { id: roleId } = made.createRole.role;
    void navigate({ to: '/servers/$guildId/roles/$roleId', params: { guildId, roleId }, ignoreBlocker: true });
  };
  return (
    <section className="card" aria-label="New role">
      <h2>New role</h2>
      <Form
        problem={problem}
        isBusy={isBusy}
        isChanged={name !== ''}
        onSubmit={create}
        buttons={(isOff) => (
          <div className="actions">
            <button type="submit" disabled={isOff || lack !== undefined}>
              Create role
            </button>
          </div>
        )}
      >
        <TextField
          label="Name"
          hint={lack ?? '1–100 characters. You choose its permissions next.'}
          disabled={lack !== undefined}
          maxLength={100}
          value={name}
          fault={problem?.fields.name}
          onChange={({ target }) => setName(target.value)}
        />
      </Form>
    </section>
  );
}

/** @param lack why the user may not change any role */
function RoleList({ lack }: { lack: string | undefined }) {
  const { id: guildId, roles } = useServer();
  const { run, isOff: isOffYet } = useAction(SetRolePositionsDocument);
  const move = (role: RoleRowFragment, steps: number) =>
    void run({ input: { guildId, positions: [{ roleId: role.id, position: role.position + steps }] } });
  const { off, note } = useOff(lack ?? whyFixed(roles.filter(({ id }) => id !== guildId)));
  const offBeside = (role: RoleRowFragment, neighbour: RoleRowFragment | undefined) => {
    if (!isMovable(role)) return { ...off, disabled: true };
    return { disabled: isOffYet || !neighbour || !isMovable(neighbour) };
  };
  return (
    <>
      <ol className="role-rows" aria-label="Roles, highest first">
        {roles
          .map((role, index) => (
            <li key={role.id}>
              <RoleName role={role} />
              {role.id !== guildId && (
                <div className="row-actions">
                  <MoveButton
                    text="up"
                    role={role}
                    off={offBeside(role, roles[index + 1])}
                    onMove={() => move(role, 1)}
                  />
                  <MoveButton
                    text="down"
                    role={role}
                    off={offBeside(role, roles[index - 1])}
                    onMove={() => move(role, -1)}
                  />
                </div>
              )}
            </li>
          ))
          .reverse()}
      </ol>
      {note}
    </>
  );
}

function isMovable({ viewerOperations }: RoleRowFragment): boolean {
  return viewerOperations.includes('MOVE');
}

/** Returns undefined if the user may move all of them. */
function whyFixed(roles: readonly RoleRowFragment[]): string | undefined {
  return roles.every(isMovable) ? undefined : 'You can move only roles below your highest role.';
}

function RoleName({ role }: { role: RoleRowFragment }) {
  const { id: guildId } = useServer();
  return (
    <div className="role">
      <RoleDot color={role.color} />
      <RoleLink guildId={guildId} roleId={role.id}>
        {role.name}
      </RoleLink>
      {role.managed && <span className="badge">bot role</span>}
    </div>
  );
}

/** `@everyone` is the index page of the roles. */
function RoleLink({ guildId, roleId, children }: { guildId: string; roleId: string; children: string }) {
  const isEveryone = guildId === roleId;
  const name = <bdi>{children}</bdi>;
  return isEveryone ? (
    <Link to="/servers/$guildId/roles" params={{ guildId }} activeOptions={{ exact: true }}>
      {name}
    </Link>
  ) : (
    <Link to="/servers/$guildId/roles/$roleId" params={{ guildId, roleId }}>
      {name}
    </Link>
  );
}

function RoleDot({ color }: { color: number }) {
  return (
    <svg className="dot" viewBox="0 0 10 10" aria-hidden="true">
      <circle cx="5" cy="5" r="5" fill={color === 0 ? 'var(--field)' : hexOf(color)} />
    </svg>
  );
}

function hexOf(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}

interface MoveButtonProps {
  text: 'up' | 'down';
  role: RoleRowFragment;
  off: { disabled: boolean; 'aria-describedby'?: string };
  onMove: () => void;
}

function MoveButton({ text, role, off, onMove }: MoveButtonProps) {
  return (
    <button type="button" className="plain small" aria-label={`Move ${role.name} ${text}`} onClick={onMove} {...off}>
      <span aria-hidden="true">{text === 'up' ? '↑' : '↓'}</span>
    </button>
  );
}
