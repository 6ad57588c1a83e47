import { Link } from '@tanstack/react-router';
import { Heading, useTitle } from '../../ui/page.js';

/** What waits for the caller, and what is theirs. */
export function Home() {
  useTitle('Home');
  return (
    <>
      <Heading>Home</Heading>
      <Link to="/applications">Applications</Link>
    </>
  );
}
