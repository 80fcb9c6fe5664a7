/** The page of the prepaid balance in this mode: balance, top-up and statement. */
import { isBilledCurrency } from '@offer-ads/contracts/values/currencies';
import './money.css';
import { useEffect, useState } from 'preact/hooks';
import { useOutcome } from '../../../../ui/outcome.tsx';
import { Loaded } from '../../../../ui/states.tsx';
import { useAmounts, useBalance } from '../../amounts/amounts.ts';
import { PortalPage } from '../../portal-page.tsx';
import { usePortal } from '../../session.ts';
import { readKeptDraft } from '../offers/new/price/first-estimate.ts';
import { Invoices } from './invoices.tsx';
import { LowBalance } from './low-balance.tsx';
import { useMoneyChanged } from './money-data.ts';
import { PlayMoney } from './play-money.tsx';
import { Statement } from './statement.tsx';
import { TopUp, type WaitingTopUp } from './top-up.tsx';

export function Money() {
  const { mode, at, scope, may, session } = usePortal();
  const { currency } = session.organisation;
  const amount = useAmounts();
  const changed = useMoneyChanged();
  const [waiting, setWaiting] = useState<WaitingTopUp | null>(null);
  const { outcome, report, clear } = useOutcome();
  // While a payment page is open in another tab, a higher balance shows that it was paid.
  const balance = useBalance({ everyMs: waiting === null ? 30_000 : 2_000 });
  const held = balance.data?.balanceMinor;

  useEffect(() => {
    if (waiting === null || held === undefined) return;
    if (waiting.balanceBefore === undefined) return setWaiting({ ...waiting, balanceBefore: held });
    if (BigInt(held) < BigInt(waiting.balanceBefore) + BigInt(waiting.topUp.netMinor)) return;
    setWaiting(null);
    report(true, `${amount(waiting.topUp.netMinor)} arrived on the balance.`);
    void changed();
  }, [waiting, held]);

  return (
    <PortalPage
      title="Balance"
      lead={`Prepaid, in ${mode.toUpperCase()} mode. Offers that are paid from it need no card.`}
    >
      {outcome}
      {may('offers') && readKeptDraft(scope) !== null && (
        <p class="notice">
          <span>
            You have an unfinished draft of an offer: <a href={at('offers/new')}>go back to it</a>.
          </span>
        </p>
      )}
      <div class="money">
        <section class="card" aria-labelledby="money-balance">
          <h2 id="money-balance">{mode.toUpperCase()} balance</h2>
          <Loaded query={balance} what="the balance" lines={1}>
            {({ balanceMinor }) => (
              <p class="figure balance" aria-live="polite">
                {amount(balanceMinor)}
              </p>
            )}
          </Loaded>
          <LowBalance />
        </section>
        {isBilledCurrency(currency) ? (
          <>
            <section class="card" aria-labelledby="money-top-up">
              <h2 id="money-top-up">Top up by card</h2>
              <TopUp
                waiting={waiting}
                onOpened={(topUp) => {
                  clear();
                  setWaiting(topUp === null ? null : { topUp, balanceBefore: held });
                }}
              />
            </section>
            {mode === 'test' && (
              <section class="card" aria-labelledby="money-play">
                <h2 id="money-play">Play money</h2>
                <PlayMoney added={(text) => report(true, text)} />
              </section>
            )}
          </>
        ) : (
          <section class="card" aria-labelledby="money-top-up">
            <h2 id="money-top-up">Top up</h2>
            <p>
              Nothing can be billed in {currency} at the moment, so the balance cannot be topped up. Please
              ask the platform team.
            </p>
          </section>
        )}
      </div>
      <Statement />
      <Invoices />
    </PortalPage>
  );
}
