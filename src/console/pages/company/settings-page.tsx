import type { ReactNode } from 'react';

import { mutations } from '../../api';
import { useMay, useSession } from '../../app/session';
import { SendForm } from '../../record/fields';
import { Facts } from '../../table/shown';
import { useTexts, WordsContext } from '../../text';
import { zonesWith } from '../../text/zone';
import { Section } from '../../ui/facts';
import { pageNames } from '../../ui/words';
import { useText } from './words';

/** Name and time zone of the company; administrators change them. */
export default function SettingsPage(): ReactNode {
  const text = useText();
  const names = useTexts(pageNames);
  const { viewer, reload } = useSession();
  const { company } = viewer;
  const mayAdminister = useMay('ADMIN');
  if (!company) return null;
  const { name, timeZone } = company;
  const forms = (
    <>
      <SendForm
        key={name}
        root={null}
        fields={[{ name: 'name', initial: name }]}
        document={mutations.companyRename}
        submit={text.rename}
        onDone={reload}
      />
      <SendForm
        key={timeZone}
        root={null}
        fields={[
          { name: 'timeZone', help: text.timeZoneHelp, initial: timeZone, values: zonesWith(timeZone) },
        ]}
        document={mutations.companySetTimeZone}
        submit={text.setTimeZone}
        onDone={reload}
      />
    </>
  );
  return (
    <WordsContext value={text}>
      <div className="page">
        <header className="page-header">
          <h1>{names.settings}</h1>
        </header>
        <div className="cards">
          <div className="card">
            <Section title={names.company}>
              {mayAdminister ? forms : <Facts facts={['name', 'timeZone']} record={company} />}
            </Section>
          </div>
        </div>
      </div>
    </WordsContext>
  );
}
