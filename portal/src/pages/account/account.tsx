import { Heading, useTitle } from '../../ui/page.js';

export function Account() {
  useTitle('Account');
  return <Heading>Account</Heading>;
}
