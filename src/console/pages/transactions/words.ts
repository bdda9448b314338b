import { useTexts } from '../../text';
import { pageWords } from '../../ui/words';

const words = pageWords({
  acquirer: ['Acquirer', 'Adquirente'],
  authorization: ['Authorization', 'Autorização'],
  brand: ['Brand', 'Bandeira'],
  capture: ['Capture', 'Captura'],
  card: ['Card', 'Cartão'],
  detail: ['Detail', 'Detalhe'],
  device: ['Device', 'Dispositivo'],
  finished: ['Finished', 'Concluída'],
  installments: ['Installments', 'Parcelas'],
  live: ['Follow new transactions', 'Acompanhar novas transações'],
  messages: ['Messages', 'Mensagens'],
  method: ['Method', 'Meio'],
  noTransactions: ['No transactions yet.', 'Nenhuma transação ainda.'],
  payment: ['Payment', 'Pagamento'],
  received: ['Received by the terminal', 'Recebida pelo terminal'],
  reference: ['Reference', 'Referência'],
  sameTerminal: ['Same terminal', 'Mesmo terminal'],
  sent: ['Sent by the terminal', 'Enviada pelo terminal'],
  started: ['Started', 'Início'],
  type: ['Type', 'Tipo'],
  APPROVED: ['Approved', 'Aprovado'],
  DENIED: ['Denied', 'Negado'],
  FAIL: ['Failed', 'Falhou'],
  RUNNING: ['Running', 'Em andamento'],
  SUCCESS: ['Successful', 'Concluída'],
  COMPANY: ['Activation', 'Ativação'],
  GET_ASSET: ['Download', 'Download'],
  SWITCH: ['Transaction', 'Transação'],
});

export const useText = () => useTexts(words);
