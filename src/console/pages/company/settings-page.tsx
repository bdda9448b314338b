import type { ReactNode } from 'react';

import { mutations } from '../../api';
import { useMay, useSession } from '../../app/session';
import { SendForm } from '../../record/fields';
import { Facts } from '../../table/shown';
import { currenciesIn, useLocale, useTexts } from '../../text';
import { zonesWith } from '../../text/zone';
import { Card, Page } from '../../ui/page';
import { pageNames } from '../../ui/words';
import { ResponseTexts } from './response-texts';
import { useText } from './words';

/** Name, time zone and currency of the company; administrators change them. */
export default function SettingsPage(): ReactNode {
  const text = useText();
  const names = useTexts(pageNames);
  const { viewer, reload } = useSession();
  const { language } = useLocale();
  const { company } = viewer;
  const mayAdminister = useMay('ADMIN');
  if (!company) return null;
  const { name, timeZone, currency } = company;
  const currencies = [{ value: '', label: text.none }, ...currenciesIn(language)];
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
        fields={[{ name: 'timeZone', initial: timeZone, values: zonesWith(timeZone) }]}
        document={mutations.companySetTimeZone}
        submit={text.setTimeZone}
        onDone={reload}
      />
      <SendForm
        key={currency}
        root={null}
        fields={[{ name: 'currency', initial: currency ?? '', isOptional: true, options: currencies }]}
        document={mutations.companySetCurrency}
        submit={text.setCurrency}
        onDone={reload}
      />
    </>
  );
  return (
    <Page name="settings" text={text}>
      <div className="cards">
        <Card title={names.company}>
          {mayAdminister ? forms : <Facts facts={['name', 'timeZone', 'currency']} record={company} />}
        </Card>
        <Card title={text.responseTexts}>
          <ResponseTexts />
        </Card>
      </div>
    </Page>
  );
}
