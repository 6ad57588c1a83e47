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
        empty="A box is a Causeway of your own, at home: its servers and their messages stay there, and bots of the cloud reach them as if they were here."
        render={(box) => <BoxCard key={box.id} box={box} />}
      />
      {isNew && <NewBox onClose={() => setNew(false)} />}
    </>
  );
}
