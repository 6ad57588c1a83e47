import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { FrameQuery } from '../gql/types.js';
import { Name } from '../ui/page.js';
import { Picture } from '../ui/picture.js';
import { SignOut } from './account/sign-out.js';

export function AccountMenu({ me }: { me: NonNullable<FrameQuery['me']> }) {
  const { username, email, avatarUrl } = me;
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  return (
    <>
      <button type="button" className="account" popoverTarget="account-menu" aria-label={`Account of ${username}`}>
        <Picture url={avatarUrl} name={username} isRound />
      </button>
      <div id="account-menu" className="card account-menu" popover="auto" ref={menu}>
        <p>
          <Name>{username}</Name>
          <span className="soft small">{email}</span>
        </p>
        <Link to="/account" onClick={close}>
          Account
        </Link>
        <SignOut className="link" onPress={close} />
      </div>
    </>
  );
}
