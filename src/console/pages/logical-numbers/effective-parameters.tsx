import type { ReactNode } from 'react';

import type { ParameterSource } from '../../gql/graphql';
import { texts, useTexts } from '../../text';
import { Badge } from '../../ui/facts';
import { Empty } from '../../ui/states';

const words = texts({
  empty: [
    'No parameters. Add them to the logical number or to its group.',
    'Nenhum parâmetro. Adicione ao número lógico ou ao grupo dele.',
  ],
  group: [(name: string) => `Group ${name}`, (name: string) => `Grupo ${name}`],
  key: ['Key', 'Chave'],
  number: ['Own value', 'Valor próprio'],
  overrides: [
    (value: string, name: string) => `instead of ${value} of the group ${name}`,
    (value: string, name: string) => `em vez de ${value} do grupo ${name}`,
  ],
  source: ['Comes from', 'Vem de'],
  value: ['Value', 'Valor'],
});

interface EffectiveParametersProps {
  /** The logical number as queries select it. */
  readonly logicalNumber: {
    readonly group?: { readonly name: string } | null;
    readonly effectiveParameters: readonly {
      readonly key: string;
      readonly value: string;
      readonly description?: string | null;
      readonly source: ParameterSource;
      readonly overridden?: { readonly value: string } | null;
    }[];
  };
}

/** The parameters that the terminals of a logical number get, each with its source: own values go before those of the group. */
export function EffectiveParameters({ logicalNumber }: EffectiveParametersProps): ReactNode {
  const text = useTexts(words);
  const { effectiveParameters, group } = logicalNumber;
  if (effectiveParameters.length === 0) return <Empty>{text.empty}</Empty>;
  return (
    <table className="plain-table">
      <thead>
        <tr>
          <th>{text.key}</th>
          <th>{text.value}</th>
          <th>{text.source}</th>
        </tr>
      </thead>
      <tbody>
        {effectiveParameters.map(({ key, value, description, source, overridden }) => (
          <tr key={key}>
            <th scope="row">
              <span className="code">{key}</span>
              {description !== null && <small>{description}</small>}
            </th>
            <td className="code">{value}</td>
            <td>
              {source === 'GROUP' ? (
                text.group(group?.name ?? '')
              ) : (
                <>
                  <Badge tone="warning">{text.number}</Badge>
                  {overridden && <small> {text.overrides(overridden.value, group?.name ?? '')}</small>}
                </>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
