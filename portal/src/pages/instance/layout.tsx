import { Link, Outlet } from '@tanstack/react-router';
import { useMe } from '../../me.js';
import { NotFound } from '../../ui/endings.js';
import { Skeleton } from '../../ui/listing.js';
import { Side } from '../../ui/side.js';
import './instance.css';

export function InstanceLayout() {
  const me = useMe();
  if (!me) return <Skeleton />;
  if (me.operatorRole === null) return <NotFound />;
  return (
    <div className="sections">
      <Side label="Instance">
        <Link to="/instance/people">People</Link>
        <Link to="/instance/applications">Applications</Link>
        <Link to="/instance/servers">Servers</Link>
        {me.operatorRole === 'OPERATOR' && <Link to="/instance/boxes">Boxes</Link>}
        <Link to="/instance/invitations">Invitations</Link>
        {me.operatorRole === 'OPERATOR' && <Link to="/instance/limits">Limits</Link>}
        {me.operatorRole === 'OPERATOR' && <Link to="/instance/operators">Operators</Link>}
        <Link to="/instance/audit">Audit log</Link>
      </Side>
      <div className="content">
        <Outlet />
      </div>
    </div>
  );
}
