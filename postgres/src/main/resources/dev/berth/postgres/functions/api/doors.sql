-- The end of it: nobody may call or read anything, but for what was granted. Default privileges of the owner may have given
-- what is new to others than PUBLIC.
revoke execute on all routines in schema berth, berth_private from public;

select berth_private.revoke_all();

select berth_private.give_all();

select berth_private.give_runners();
