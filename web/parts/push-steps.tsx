import { type FirewallStep, formatPushProgress, type PushCourse } from "../../src/outcome/push-course.ts";
import { moment } from "../data/time.ts";
import { Ago } from "./small-parts.tsx";

/** Shows the state of each firewall of a push, by wave. */
export function PushSteps({ course, now }: { readonly course: PushCourse; readonly now: number }) {
  const { firewalls, by, run, began, ended, isBack, waves } = course;
  return (
    <section aria-labelledby="push" class="above">
      <h2 id="push">{isBack ? "Push of the former state" : "Push"}</h2>
      <p>
        {ended === undefined ? "Under way" : `Ended ${moment(at(ended))}`}: {formatPushProgress(course)}
      </p>
      <p class="dim">
        By {by}, run {run}, since {moment(at(began))}
      </p>
      <div class="steps">
        <table>
          <thead>
            <tr>
              {waves > 1 && <th scope="col">Wave</th>}
              <th scope="col">Firewall</th>
              <th scope="col">Step</th>
              <th scope="col">Since</th>
              <th scope="col">Job</th>
            </tr>
          </thead>
          <tbody>
            {firewalls.map((each) => (
              <Row key={each.serial} {...each} waves={waves} now={now} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Row({ serial, hostname, wave, step, since, job, waves, now }: FirewallStep & { readonly waves: number; readonly now: number }) {
  return (
    <tr>
      {waves > 1 && <td>{wave}</td>}
      <th scope="row">
        {hostname ?? serial} {hostname !== undefined && <span class="dim">{serial}</span>}
      </th>
      <td>{step}</td>
      <td>
        <Ago at={at(since)} now={now} />
      </td>
      <td>{job}</td>
    </tr>
  );
}

function at(time: string): number {
  return Math.round(Date.parse(time) / 1000);
}
