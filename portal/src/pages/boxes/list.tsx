import { useState } from 'react';
import { BoxesChangedDocument, BoxesDocument } from '../../gql/boxes/boxes.js';
import { useLive } from '../../live.js';
import { useQuery } from '../../query.js';
import { Listing } from '../../ui/listing.js';
import { Heading, useTitle } from '../../ui/page.js';
import { BoxCard } from './card.js';
import { NewBox } from './new-box.js';

export function Boxes() {
  useTitle('Boxes');
  const [isNew, setNew] = useState(false);
  const answer = useQuery({ query: BoxesDocument });
  useLive(BoxesChangedDocument, {});
  return (
    <>
      <div className="heading">
        <Heading>Boxes</Heading>
        <button type="button" onClick={() => setNew(true)}>
          New box
        </button>
      </div>
      <Listing
        answer={answer}
        items={answer.data?.portalHome.boxes}
        empty="A box is a Causeway instance that you run yourself. Its servers and messages stay on your machine, and bots of this instance can use them."
        render={(box) => <BoxCard key={box.id} box={box} />}
      />
      {isNew && <NewBox onClose={() => setNew(false)} />}
    </>
  );
}
